"""Complaints about an intent, and the error that carries all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from netcheck.model.document import Evidence
from netcheck.model.errors import InputError
from netcheck.model.frozen import frozen
from netcheck.model.shortened import compress


@frozen
class Complaint:
    """One thing that is wrong with an intent, and where it stands."""

    at: Evidence
    message: str

    def __str__(self) -> str:
        at = self.at
        parts = [at.file, *(str(number) for number in (at.line, at.column) if number)]
        return f"{':'.join(parts)}: {self.message}"


class IntentError(InputError):
    """An intent that cannot be used.

    Attributes:
        complaints: Everything that is wrong, in order of file, line and column.
    """

    def __init__(self, complaints: Iterable[Complaint]) -> None:
        self.complaints = tuple(complaints)
        super().__init__("\n".join(str(complaint) for complaint in self.complaints))


MAX_NAMES = 2_000_000


class Complaints:
    """Collects complaints; the same one at the same place counts once.

    Also counts the names that ranges stand for, so that a few lines cannot
    ask for more than any fabric has.
    """

    def __init__(self) -> None:
        self._found: dict[Complaint, None] = {}
        self._ports: dict[tuple[Evidence, str, str], list[str]] = {}
        self._places: set[Evidence] = set()
        self._names = 0

    def add(self, at: Evidence, message: str) -> None:
        """Note one complaint."""
        self._found[Complaint(at, message)] = None
        self._places.add(at)

    def add_port(self, at: Evidence, device: str, port: str, message: str) -> None:
        """Note one of a port; ports of one place and message are shown as one complaint."""
        self._ports.setdefault((at, device, message), []).append(port)
        self._places.add(at)

    def add_first(self, at: Evidence, message: str) -> None:
        """Note a complaint unless something is already wrong at that place."""
        if at not in self._places:
            self.add(at, message)

    def count_names(self, at: Evidence, count: int) -> None:
        """Count names before they are written out.

        Raises:
            IntentError: There are more than any fabric has.
        """
        self._names += count
        if self._names > MAX_NAMES:
            message = f"more than {MAX_NAMES} devices, ports and links once ranges are written out"
            raise IntentError([*self, Complaint(at, message)])

    def __bool__(self) -> bool:
        return bool(self._found or self._ports)

    def __iter__(self) -> Iterator[Complaint]:
        every = [*self._found, *self._of_ports()]
        files = dict.fromkeys(one.at.file for one in every)
        order = {file: number for number, file in enumerate(files)}
        return iter(
            sorted(
                every,
                key=lambda one: (order[one.at.file], one.at.line, one.at.column, one.message),
            )
        )

    def _of_ports(self) -> Iterator[Complaint]:
        alike: dict[tuple[Evidence, str, str], list[str]] = {}
        for (at, device, message), ports in self._ports.items():
            alike.setdefault((at, compress(ports), message), []).append(device)
        for (at, shown, message), devices in alike.items():
            yield Complaint(at, f"{compress(devices)} {shown}: {message}")

    def raise_if_any(self) -> None:
        """Stop here when there is at least one complaint.

        Raises:
            IntentError: Carries all of them.
        """
        if self:
            raise IntentError(self)


def suggest(word: str, valid: Iterable[str]) -> str:
    """Give "; did you mean X?" for the nearest valid word, else the valid words."""
    candidates = list(valid)
    lowered = {candidate.lower(): candidate for candidate in candidates}
    from difflib import get_close_matches  # noqa: PLC0415 -- for a mistyped word only

    near = get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    if near:
        return f"; did you mean {lowered[near[0]]}?"
    if not candidates:
        return ""
    shown = sorted(candidates)
    limit = 12
    more = f" and {len(shown) - limit} more" if len(shown) > limit else ""
    return f"; expected one of {', '.join(shown[:limit])}{more}"
