"""``match`` patterns as data that the run time matches, so that captures carry shadows."""

import ast

from morula.transform.build import constant, none, tuple_of


def pattern_data(pattern: ast.pattern | None) -> ast.expr:
    """The tuple ``(kind, ...)`` that describes `pattern`.

    The values that a pattern compares with are evaluated when, and only if, they are reached: each stands in
    the data as a function without arguments.
    """
    match pattern:
        case None:
            return none()
        case ast.MatchValue():
            return _data("value", _delayed(pattern.value))
        case ast.MatchSingleton():
            return _data("singleton", constant(pattern.value))
        case ast.MatchSequence():
            return _data("sequence", tuple_of(pattern_data(p) for p in pattern.patterns))
        case ast.MatchStar():
            return _data("star", constant(pattern.name))
        case ast.MatchAs():
            return _data("as", constant(pattern.name), pattern_data(pattern.pattern))
        case ast.MatchOr():
            return _data("or", tuple_of(pattern_data(p) for p in pattern.patterns))
        case ast.MatchMapping():
            keys = tuple_of(_delayed(k) for k in pattern.keys)
            return _data("mapping", keys, tuple_of(pattern_data(p) for p in pattern.patterns), constant(pattern.rest))
        case ast.MatchClass():
            positional = tuple_of(pattern_data(p) for p in pattern.patterns)
            named = tuple_of(
                tuple_of([constant(n), pattern_data(p)])
                for n, p in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True)
            )
            return _data("class", _delayed(pattern.cls), positional, named)
    raise AssertionError(pattern)


def _data(kind: str, *parts: ast.expr) -> ast.expr:
    return tuple_of([constant(kind), *parts])


def _delayed(node: ast.expr) -> ast.expr:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), node)
