"""Source -> shadow-passing code: the one program transform of the engine.

Nothing in here knows a derivative. :func:`template_of` turns a code object into a `Template`, the compiled
*twin* of a function, in which every variable ``x`` travels with a shadow ``x_d`` and every operation is asked
of a context ``ctx``.
"""

from morula.transform.reading import reading_of
from morula.transform.source import SourceUnavailable, source_of
from morula.transform.state import add_state
from morula.transform.template import Template, forget_readers, forget_templates, template_of, text_of

__all__ = [
    "SourceUnavailable",
    "Template",
    "add_state",
    "forget_readers",
    "forget_templates",
    "reading_of",
    "source_of",
    "template_of",
    "text_of",
]
