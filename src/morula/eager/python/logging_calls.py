"""Messages to a log that is switched off for them: nothing else is asked about, such as what the log can reach."""

from typing import Any

from chainrules import when_loaded
from morula.eager.calls.registry import structural
from morula.eager.context.protocol import Context

Pair = tuple[Any, Any]
LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}


def _logging() -> None:
    from logging import Logger, RootLogger

    usual = Logger.isEnabledFor

    def quiet(f: Any, level: int) -> None:
        def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
            log = args[0] if len(args) > 1 else None
            is_usual = type(log) in (Logger, RootLogger) and "isEnabledFor" not in vars(log)
            if is_usual and Logger.isEnabledFor is usual and not log.isEnabledFor(level):  # type: ignore[union-attr]
                return None, None
            return ctx.call_function(f, args, ds, kw, kw_d)

        structural(f)(handler)

    for name, level in LEVELS.items():
        quiet(getattr(Logger, name), level)


when_loaded("logging", _logging)
