"""In which order partitions that stay get other keys, so that no key has two holders at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from netcheck.platforms.onyx.words import DEFAULT_PKEY


def moves(now: Mapping[str, str], then: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield ``partition, key`` in the order to type, for partitions that are in both.

    Where keys go round in a circle, one partition takes a key meanwhile that nobody has
    before or after. It is the same one on the way back, so that the way back can begin
    anywhere on the way there.

    Example:
        >>> list(moves({"a": "0x0001", "b": "0x0002"}, {"a": "0x0002", "b": "0x0001"}))
        [('b', '0x0003'), ('a', '0x0002'), ('b', '0x0001')]
    """
    waiting = {name: then[name] for name in sorted(now) if now[name] != then.get(name, now[name])}
    held = {name: now[name] for name in waiting}
    spares = _spares({*now.values(), *then.values()})
    aside: set[str] = set()
    while waiting:
        name = _free(waiting, held)
        if name is None and (still := waiting.keys() - aside):
            name = max(still)
            aside.add(name)
            held[name] = next(spares)
            yield name, held[name]
            continue
        name = name or min(waiting)  # two ask for one key: the switch says so
        del held[name]
        yield name, waiting.pop(name)


def _free(waiting: Mapping[str, str], held: Mapping[str, str]) -> str | None:
    """The first partition whose next key no other one still has to give up."""
    for name, key in waiting.items():
        if all(other == name or has != key for other, has in held.items()):
            return name
    return None


def _spares(used: set[str]) -> Iterator[str]:
    return (key for number in range(1, DEFAULT_PKEY) if (key := f"0x{number:04x}") not in used)
