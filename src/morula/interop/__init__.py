"""What the adapters to other libraries share, and what work in several processes means."""

from chainrules import postponed

with postponed():  # their declarations would load what imports them
    import morula.interop.remote
    import morula.interop.trees  # noqa: F401
