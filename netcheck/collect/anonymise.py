"""A snapshot that can be given away: names, addresses, serials and secrets replaced.

The same thing gets the same replacement in every file, so that links, GIDs and
neighbours still fit together. What no pattern finds, such as a free text that
names a customer, stays: look before you give it away.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from netcheck.collect.atomic import write_atomically
from netcheck.collect.snapshot import Answer, Record, Snapshot, output_path, write_manifest
from netcheck.model.errors import InputError

_IPV4: Final = r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"
# Written out, an address may follow a path and a colon, as grep prints it.
_GID: Final = r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{4}(?::[0-9A-Fa-f]{4}){7}(?![\w:])"
_IPV6: Final = r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])"
_OCTETS: Final = r"(?<![\w:])[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?::[0-9A-Fa-f]{2}){0,2}(?![\w:])"
_GUID: Final = r"(?<![\w:])[0-9A-Fa-f]{4}(?::[0-9A-Fa-f]{4}){3}(?![\w:])"
_QUOTED: Final = r'(["\']?)\s*[:=]\s*(["\'])(?P<value>[^"\']+)\2'
_NAMED: Final = re.compile(rf"(?i)(?:sys_?name|host_?name){_QUOTED}")
_SERIAL: Final = re.compile(
    rf"(?i)serial(?:_?(?:number|no|num))?(?:{_QUOTED}|\s*:\s*(?P<plain>\S+))"
)
_SECRET: Final = re.compile(
    r'(?i)("[\w-]*(?:passw(?:or)?d|passkey|secret|community|private_?key|auth_key)[\w-]*"\s*:\s*")[^"]*'
)


@dataclass
class Anonymiser:
    """Replacements, given out in the order in which things are met."""

    names: dict[str, str] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)

    def learn(self, names: Iterable[str], prefix: str) -> None:
        """Give each of these names a replacement that begins with ``prefix``."""
        for name in names:
            if name and name not in self.names:
                self.names[name] = f"{prefix}-{len(self.names) + 1:04d}"

    def learn_from(self, text: str) -> None:
        """Learn names of neighbours and serial numbers from a text."""
        self.learn((match["value"] for match in _NAMED.finditer(text)), "neighbour")
        found = (match["value"] or match["plain"] for match in _SERIAL.finditer(text))
        self.learn(found, "serial")

    def clean(self, text: str) -> str:
        """Give the text with everything replaced."""
        text = _SECRET.sub(r"\1removed", text)
        for pattern, change in (
            (_GID, self._ipv6),
            (_IPV6, self._short_ipv6),
            (_OCTETS, self._octets),
            (_GUID, self._guid),
            (_IPV4, self._ipv4),
        ):
            text = re.sub(pattern, self._by(change), text)
        return self._without_names(text)

    def _by(self, change: Callable[[str], str]) -> Callable[[re.Match[str]], str]:
        return lambda match: change(match.group())

    def _without_names(self, text: str) -> str:
        known = sorted(self.names, key=len, reverse=True)
        if not known:
            return text
        pattern = rf"(?<![\w-])(?:{'|'.join(map(re.escape, known))})(?![\w-])"
        return re.sub(pattern, lambda match: self.names[match.group()], text)

    def _ipv4(self, found: str) -> str:
        try:
            address = ipaddress.IPv4Address(found)
        except ValueError:
            return found
        if address.is_unspecified or address.is_loopback or found.startswith("255."):
            return found
        number = self._number(f"4 {int(address)}")
        return str(ipaddress.IPv4Address("198.18.0.0") + number)

    def _ipv6(self, found: str) -> str:
        try:
            address = ipaddress.IPv6Address(found)
        except ValueError:
            return found
        if address.is_unspecified or address.is_loopback:
            return found
        if address.ipv4_mapped is not None:
            mapped = ipaddress.IPv4Address(self._ipv4(str(address.ipv4_mapped)))
            new = ipaddress.IPv6Address((0xFFFF << 32) + int(mapped))
        else:
            base = "fe80::200:ff:fe00:0" if address.is_link_local else "2001:db8::"
            new = ipaddress.IPv6Address(base) + self._number(f"6 {int(address)}")
        # Never in dotted form, which the IPv4 pattern would replace once more.
        is_long = len(found) == len(new.exploded) or address.ipv4_mapped is not None
        return new.exploded if is_long else str(new)

    def _short_ipv6(self, found: str) -> str:
        return found if re.fullmatch(_GID, found) else self._ipv6(found)

    def _octets(self, found: str) -> str:
        length = found.count(":") + 1
        number = self._number(f"mac {found.lower()}")
        digits = f"02{number:0{2 * length - 2}x}"
        return ":".join(digits[at : at + 2] for at in range(0, 2 * length, 2))

    def _guid(self, found: str) -> str:
        digits = f"02{self._number(f'guid {found.lower()}'):014x}"
        return ":".join(digits[at : at + 4] for at in range(0, 16, 4))

    def _number(self, key: str) -> int:
        if key not in self.addresses:
            self.addresses[key] = str(len(self.addresses) + 1)
        return int(self.addresses[key])


def anonymise(snapshot: Snapshot, directory: Path) -> Snapshot:
    """Write a copy of a snapshot in which nothing tells whose it is.

    Raises:
        InputError: The folder is the snapshot's own, or a listed file is gone.
    """
    if directory.resolve() == snapshot.folder.resolve():
        raise InputError(f"{directory}: an anonymous copy needs a folder of its own")
    cleaner = Anonymiser()
    cleaner.learn([snapshot.fabric], "fabric")
    cleaner.learn((member.name for member in snapshot.members), "device")
    texts = {record.file: _text(snapshot, record) for record in snapshot.records}
    for text in texts.values():
        cleaner.learn_from(text)
    records = []
    for record in snapshot.records:
        clean = _clean_record(record, cleaner)
        if record.answer is Answer.HAD:
            write_atomically(directory / clean.file, cleaner.clean(texts[record.file]))
        records.append(clean)
    members = tuple(
        replace(m, name=cleaner.names.get(m.name, m.name), reason=cleaner.clean(m.reason))
        for m in snapshot.members
    )
    fabric = cleaner.names.get(snapshot.fabric, "")
    copy = Snapshot(directory, fabric, members, tuple(records))
    write_manifest(copy)
    return copy


def _text(snapshot: Snapshot, record: Record) -> str:
    if record.answer is not Answer.HAD:
        return ""
    return (snapshot.folder / record.file).read_bytes().decode("utf-8", "surrogateescape")


def _clean_record(record: Record, cleaner: Anonymiser) -> Record:
    device = cleaner.names.get(record.device, record.device)
    file = output_path(device, record.file.rpartition("/")[2], record.reading)
    command = json.loads(cleaner.clean(json.dumps(record.command)))
    return replace(
        record, device=device, file=file, command=command, reason=cleaner.clean(record.reason)
    )
