"""Reading devices: only commands of the platform's read-only list, outputs as they came."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from netcheck.collect.atomic import remove_leftovers, write_atomically
from netcheck.collect.fanout import PACE, Pace, Progress, fan_out, silent
from netcheck.collect.session import Output, Session
from netcheck.collect.snapshot import (
    Answer,
    Member,
    Record,
    Snapshot,
    is_snapshot,
    output_path,
    read_snapshot,
    replaced_reading,
    write_manifest,
)
from netcheck.collect.target import Target, target_of
from netcheck.model.device import Device, LinkLayer
from netcheck.model.document import Document, DocumentKind
from netcheck.model.errors import InputError, TransportError
from netcheck.model.fabric import Fabric
from netcheck.model.known import ABSENT, is_known
from netcheck.platforms.placeholders import hidden
from netcheck.platforms.platform import Command, load

ALL_KINDS: Final = frozenset({DocumentKind.CONFIG, DocumentKind.STATE, DocumentKind.COUNTERS})
_COMMAND_S: Final = 60.0
IB: Final = LinkLayer.INFINIBAND
_LOG: Final = logging.getLogger(__name__)

Connect = Callable[[Target, float], AbstractContextManager[Session]]


@dataclass(frozen=True, slots=True)
class Reading:
    """What one device was asked and gave: ``texts`` has one entry a record."""

    member: Member
    records: tuple[Record, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Order:
    """One device's share of a collection."""

    device: Device
    target: Target | None
    reason: str
    kinds: frozenset[DocumentKind]
    reading: int
    deadline_s: float


def collect(  # noqa: PLR0913 -- the keyword arguments are independent choices of the caller
    fabric: Fabric,
    directory: Path,
    *,
    kinds: Collection[DocumentKind] = ALL_KINDS,
    devices: Collection[str] | None = None,
    executor: Executor | None = None,
    reading: int = 0,
    pace: Pace = PACE,
    progress: Progress = silent,
) -> Snapshot:
    """Read devices into a snapshot folder.

    A device that cannot be reached is recorded as such. A first reading makes
    a new snapshot in the folder; a later one (``reading`` 1) adds to it.
    Whenever it is cut off, the folder holds whole files only, and the manifest
    lists none that is not there.

    Raises:
        InputError: A device is unknown, or there is no first reading to add to.
        OSError: The folder cannot be written.
    """
    names = _chosen(fabric, devices)
    snapshot = _begun(fabric, directory, names, reading)
    _open_folder(snapshot, is_fresh=not reading)
    orders = (_order(fabric, name, frozenset(kinds), reading, pace) for name in names)
    done: dict[str, Reading] = {}
    for found in fan_out(_read, orders, executor=executor, pace=pace):
        done[found.member.name] = found
        for record, text in zip(found.records, found.texts, strict=True):
            if record.answer is Answer.HAD:
                write_atomically(directory / record.file, text)
        progress(found.member.name, found.member.reason or "collected")
    finished = _finished(snapshot, [done[name] for name in names])
    write_manifest(finished)
    return finished


def read_documents(
    session: Session,
    device: Device,
    *,
    kinds: Collection[DocumentKind] = ALL_KINDS,
    reading: int = 0,
) -> list[Document]:
    """Read a device in memory; what was not had is left out.

    Raises:
        TransportError: The session broke.
    """
    allowed, _ = _allowed(device, frozenset(kinds))
    outputs = session.run_each([one.line for one in allowed], _COMMAND_S)
    return [
        Document(
            output_path(device.name, one.file, reading),
            output.text,
            command=one.line,
            reading=reading,
        )
        for one, output in zip(allowed, outputs, strict=True)
        if output.is_ok
    ]


def read_counters(session: Session, device: Device, *, reading: int = 0) -> list[Document]:
    """Read a device's counters in memory.

    Raises:
        TransportError: The session broke.
    """
    return read_documents(session, device, kinds={DocumentKind.COUNTERS}, reading=reading)


def expand(command: Command, device: Device) -> list[Command]:
    """Give the commands that a command with placeholders stands for on a device.

    Names are put in as they are; the allow-list then refuses any that a shell
    would take apart.
    """
    commands = [command]
    every = device.rdma.values()
    names_of = {
        "{port}": rdma_ports(device),
        "{rdma}": [one.name for one in every if one.link_layer is not IB],
        "{hca}": [one.name for one in every if one.link_layer is IB],
    }
    for holder, names in names_of.items():
        commands = [
            Command(
                one.line.replace(holder, name),
                one.file.replace(holder, name),
                one.kind,
                may_fail=one.may_fail,
            )
            if holder in one.line
            else one
            for one in commands
            for name in (names if holder in one.line else [""])
        ]
    return commands


def rdma_ports(device: Device) -> list[str]:
    """Give the ports that RoCE devices use; without any device, all ports that RDMA may use.

    InfiniBand ports have no DCB: their settings are the subnet manager's.
    """
    roce = [one for one in device.rdma.values() if one.link_layer is not IB]
    used = [port for rdma in roce for port in rdma.ports]
    if not device.rdma:
        used = [port.name for port in device.ports.values() if port.policy is not ABSENT]
    return list(dict.fromkeys(used))


def read_command(session: Session, device: Device, command: Command) -> tuple[Answer, Output]:
    """Run one command if the platform's allow-list has it.

    Raises:
        TransportError: The session broke.
    """
    if not _is_allowed(device, command.line):
        _LOG.warning("%s: not on the read-only list, not sent: %r", device.name, command.line)
        return Answer.REFUSED, Output("", -1)
    output = session.run(command.line, _COMMAND_S)
    return _answer(command, output), output


def _answer(command: Command, output: Output) -> Answer:
    if output.is_ok:
        return Answer.HAD
    return Answer.ABSENT if command.may_fail else Answer.FAILED


def _is_allowed(device: Device, line: str) -> bool:
    if not is_known(device.platform) or not line.isprintable():
        return False
    return load(device.platform).reading.is_read_only(line)


def _chosen(fabric: Fabric, devices: Collection[str] | None) -> list[str]:
    unknown = sorted(set(devices or ()) - set(fabric.devices))
    if unknown:
        raise InputError(f"fabric {fabric.name}: no device {', '.join(unknown)}")
    return [name for name in fabric.devices if devices is None or name in devices]


def _begun(fabric: Fabric, directory: Path, names: Sequence[str], reading: int) -> Snapshot:
    """Give the snapshot as it stands before anything is read: all asked, nothing had."""
    if reading:
        if not is_snapshot(directory):
            raise InputError(f"{directory}: no snapshot to add reading {reading} to")
        return read_snapshot(directory)
    members = tuple(
        Member(name, str(fabric.devices[name].platform), reason="not asked yet") for name in names
    )
    return Snapshot(directory, fabric.name, members)


def _open_folder(snapshot: Snapshot, *, is_fresh: bool) -> None:
    """Write the first manifest; then nothing lists the files of an older snapshot there."""
    folder = snapshot.folder
    older = read_snapshot(folder).records if is_fresh and is_snapshot(folder) else ()
    write_manifest(snapshot)
    remove_leftovers(folder)
    for record in older:
        (folder / record.file).unlink(missing_ok=True)


def _finished(snapshot: Snapshot, readings: Sequence[Reading]) -> Snapshot:
    fresh = {found.member.name: found.member for found in readings}
    known = {member.name: member for member in snapshot.members}
    records = [record for found in readings for record in found.records]
    return replace(
        snapshot,
        members=tuple((known | fresh).values()),
        records=replaced_reading(snapshot.records, records),
    )


def _order(
    fabric: Fabric, name: str, kinds: frozenset[DocumentKind], reading: int, pace: Pace
) -> _Order:
    device = fabric.devices[name]
    try:
        target, reason = target_of(fabric, device), ""
    except InputError as error:
        target, reason = None, str(error)
    return _Order(device, target, reason, kinds, reading, pace.deadline_s)


def _read(order: _Order) -> Reading:
    """Read one device; whatever is wrong with it is in the result."""
    pairs: list[tuple[Record, str]] = []
    reason = order.reason
    if order.target is not None:
        try:
            with Session(order.target, deadline_s=order.deadline_s) as session:
                for pair in _answers(session, order.device, order.kinds, order.reading):
                    pairs.append(pair)  # noqa: PERF402 -- keeps what came before a break
        except (TransportError, InputError) as error:
            reason = str(error)
    pairs += _missing(order, pairs, reason) if reason else []
    member = Member(order.device.name, str(order.device.platform), not reason, reason)
    return Reading(member, tuple(r for r, _ in pairs), tuple(text for _, text in pairs))


def _missing(
    order: _Order, had: Sequence[tuple[Record, str]], reason: str
) -> list[tuple[Record, str]]:
    """Give a record for each command that a broken session did not come to."""
    answered = {record.file for record, _ in had}
    blanks = (
        _record(order.device, command, order.reading, Answer.UNREACHABLE, reason=reason)
        for command in _commands(order.device, order.kinds)
    )
    return [(record, "") for record in blanks if record.file not in answered]


def _commands(device: Device, kinds: frozenset[DocumentKind]) -> list[Command]:
    if not is_known(device.platform):
        return []
    asked = load(device.platform).reading.commands(device)
    return [one for command in asked if command.kind in kinds for one in expand(command, device)]


def _allowed(device: Device, kinds: frozenset[DocumentKind]) -> tuple[list[Command], list[Command]]:
    """Commands that the platform's allow-list has, and those that it has not."""
    allowed: list[Command] = []
    refused: list[Command] = []
    for command in _commands(device, kinds):
        if _is_allowed(device, command.line):
            allowed.append(command)
        else:
            refused.append(command)
            line = command.line
            _LOG.warning("%s: not on the read-only list, not sent: %r", device.name, line)
    return allowed, refused


def _answers(
    session: Session, device: Device, kinds: frozenset[DocumentKind], reading: int
) -> Iterator[tuple[Record, str]]:
    """Run the commands of the platform's allow-list; give each answer as it comes."""
    allowed, refused = _allowed(device, kinds)
    for command in refused:
        yield _record(device, command, reading, Answer.REFUSED, reason=""), ""
    started = _now()
    outputs = session.run_each([one.line for one in allowed], _COMMAND_S)
    for command, output in zip(allowed, outputs, strict=True):
        answer, ended = _answer(command, output), _now()
        reason = "" if answer is Answer.HAD else output.text.strip()[-200:]
        yield (
            Record(
                device.name,
                command.line,
                output_path(device.name, command.file, reading),
                command.kind,
                answer,
                reading,
                output.status,
                started,
                ended,
                reason,
            ),
            hidden(output.text, str(device.platform)),
        )
        started = ended


def _record(
    device: Device, command: Command, reading: int, answer: Answer, *, reason: str
) -> Record:
    file = output_path(device.name, command.file, reading)
    return Record(device.name, command.line, file, command.kind, answer, reading, reason=reason)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
