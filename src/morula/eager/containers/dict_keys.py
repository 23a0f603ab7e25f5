"""Keys of dicts: a number that was active as it became a key is so when it comes out again.

A key is told by its object, which a dict keeps as it is. Keys are looked up far more often than they are read back,
and nothing is noted but what is active.
"""

from collections.abc import Iterable
from itertools import repeat
from typing import Any

from morula.eager.context.kinds import c_method
from morula.eager.context.part import Part
from morula.errors import NotDifferentiable

Pair = tuple[Any, Any]
DICT_KEYS: type = type({}.keys())
NOTHING = repeat(None)


class DictKeys(Part):
    """What a reverse context knows of the keys of dicts.

    `Records.keys` holds, by the identity of a key, the key, and its shadow in each of the dicts that it was put into.
    """

    __slots__ = ()

    def note_key(self, d: dict, key: Any, key_d: Any) -> None:
        """`key` is about to be stored in `d`, which keeps the first of equal keys."""
        if holds_active(key_d) and not dict.__contains__(d, key):
            self.note_kept_key(d, key, key_d)

    def new_keys(self, d: dict, keys: list, shadows: list) -> None:
        """Give a new dict the shadows of the keys that it was made with."""
        if any(map(holds_active, shadows)):
            kept = {id(key) for key in d}
            for key, key_d in zip(keys, shadows, strict=True):
                if id(key) in kept:
                    kept.discard(id(key))
                    self.note_kept_key(d, key, key_d)

    def note_kept_key(self, d: dict, key: Any, key_d: Any) -> None:
        """`key` is an object that `d` keeps."""
        if holds_active(key_d):
            self.records.keys.setdefault(id(key), (key, {}))[1][id(d)] = d, key_d

    def key_shadow(self, d: Any, key: Any) -> Any:
        """The shadow of a key that is read from `d`."""
        if not self.records.keys or id(key) not in self.records.keys:
            return None
        found = self.records.keys[id(key)][1].get(id(d))
        if found is None:
            raise NotDifferentiable(
                f"the keys of a {type(d).__qualname__} are read, and active numbers are among them, which are keys of "
                "another dict: it was copied in a way that Morula does not follow. Iterate over the other dict, or "
                "keep the numbers in a list"
            )
        return found[1]

    def key_pairs(self, d: Any, backwards: bool = False) -> Iterable[Pair]:
        """The keys of a dict as C iterates them, each beside its shadow."""
        keys = c_method(type(d), "__reversed__" if backwards else "__iter__")(d)
        return (
            ((key, self.key_shadow(d, key)) for key in keys) if self.records.keys else zip(keys, NOTHING, strict=False)
        )

    def copy_keys(self, d: dict, *sources: dict) -> None:
        """Let `d`, which was made of these dicts, have the shadows of their keys."""
        if self.records.keys:
            for source in sources:
                self.new_keys(d, list(source), [self.key_shadow(source, key) for key in source])

    def missed(self, error: KeyError, key: Any, key_d: Any) -> None:
        """`error` was raised by C, which made it with the key that it did not find."""
        if holds_active(key_d) and len(error.args) == 1 and error.args[0] is key:
            self.exception_arguments(error, (key,), (key_d,))

    def keys_active(self, d: dict) -> bool:
        """Whether a key of `d` is active."""
        noted = self.records.keys
        return bool(noted) and any(id(key) in noted for key in c_method(type(d), "__iter__")(d))


def holds_active(key_d: Any) -> bool:
    """Whether the shadow of a key is one, or holds one where the key is a tuple."""
    return any(map(holds_active, key_d)) if type(key_d) is tuple else key_d is not None
