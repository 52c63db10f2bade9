"""Path records of a subnet against partitions and services of an intent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from netcheck.compare.partitions import DEFAULT_KEY, LOW_15
from netcheck.compare.subnet_pages import made, unread
from netcheck.model.fabric import Fabric
from netcheck.model.finding import Finding, Place
from netcheck.model.guids import ports_of
from netcheck.model.infiniband import IbPath
from netcheck.model.known import UNKNOWN, Known, is_known
from netcheck.model.subnets import IbMatch, IbQosLevel, Subnet

# These put their own service level into a path: it keeps packets out of loops.
ENGINES_WITH_OWN_SL = frozenset({"lash", "dfsssp", "torus-2QoS", "nue"})


@dataclass(frozen=True, slots=True)
class PathQuestion:
    """One path that is asked for.

    Attributes:
        places: Both ends.
        guids: Port GUIDs of both ends; ``lids`` their addresses.
        pkey: Low 15 bits of the partition to ask in; 0 asks in any.
        is_allowed: The two share a partition, or not.
        service_id, qos_class: What the request names besides; 0 names none.
    """

    places: tuple[Place, Place]
    guids: tuple[int, int]
    lids: tuple[int, int]
    pkey: int
    is_allowed: bool
    service_id: int = 0
    qos_class: int = 0

    @property
    def command(self) -> tuple[str, ...]:
        """The call that asks."""
        terms = [f"--pkey {self.pkey:#06x}"] if self.pkey else []
        terms += [f"--service_id {self.service_id:#x}"] if self.service_id else []
        terms += [f"--qos_class {self.qos_class}"] if self.qos_class else []
        ends = f"saquery -p --slid {self.lids[0]} --dlid {self.lids[1]}"
        return tuple(" ".join([ends, *terms]).split())


# Service ids of protocols over the connection manager: the base, and the port where none is said.
# Source: linux-rdma/opensm doc/QoS_management_in_OpenSM.txt, "ULP".
PROTOCOLS: Final = {"sdp": (0x10000, 0), "rds": (0x1060000, 0x48CA), "iser": (0x1060000, 0xCBC)}
ALL_PORTS: Final = 0xFFFF


class Services:
    """Which service a path takes, as the intent's services match it.

    Match rules come before those of protocols, each in declared order; the
    service named default takes the rest.

    Source: linux-rdma/opensm doc/QoS_management_in_OpenSM.txt.
    """

    def __init__(self, fabric: Fabric, subnet: Subnet) -> None:
        self.subnet = subnet
        self.levels = tuple(subnet.qos_levels.values())
        self.default = next((one for one in self.levels if one.name.lower() == "default"), None)
        self._ends = {
            names: frozenset(ports_of(fabric, subnet, names).found)
            for one in self.levels
            for match in one.matches
            for names in (match.source, match.destination)
            if is_known(names)
        }

    def ends(self, names: Known[tuple[str, ...]]) -> frozenset[int] | None:
        """Port GUIDs of the members that a match names; None where it names none."""
        return self._ends[names] if is_known(names) else None

    def partition_key(self, match: IbMatch) -> int:
        """Low 15 bits of the partition that a match asks for; 0 where it takes any."""
        if is_known(match.partition) and match.partition in self.subnet.partitions:
            return self.subnet.partitions[match.partition].pkey & LOW_15
        return DEFAULT_KEY if match.ulp == "ipoib" else 0

    def level(self, question: PathQuestion) -> IbQosLevel | None:
        """Give the service of a path; None where no service is said or the default is unsaid."""
        rules = [(one, match) for one in self.levels for match in one.matches]
        for is_protocol in (False, True):
            for one, match in rules:
                if is_known(match.ulp) is is_protocol and self._fits(match, question):
                    return one
        return self.default

    def _fits(self, match: IbMatch, question: PathQuestion) -> bool:
        if is_known(match.qos_classes) and not _holds(match.qos_classes, question.qos_class):
            return False
        service_ids = services_of(match)
        if service_ids and not any(question.service_id in each for each in service_ids):
            return False
        wanted = self.partition_key(match)
        if wanted != question.pkey and (wanted or is_known(match.partition)):
            return False
        ends = zip((match.source, match.destination), question.guids, strict=True)
        return all(guid in self._ends[names] for names, guid in ends if is_known(names))

    @staticmethod
    def request(match: IbMatch) -> tuple[int, int]:
        """Give service id and QoS class of a request that a match takes; 0 where it asks none."""
        service_ids = services_of(match)
        classes = ranges(match.qos_classes) if is_known(match.qos_classes) else ()
        return service_ids[0].start if service_ids else 0, classes[0].start if classes else 0

    def sl(self, question: PathQuestion) -> Known[int]:
        """Give the service level that a path has to have; UNKNOWN where nothing says one."""
        if not question.pkey:
            return UNKNOWN
        if not self.levels:
            said = (one for one in self.subnet.partitions.values() if is_known(one.sl))
            return next((one.sl for one in said if one.pkey & LOW_15 == question.pkey), UNKNOWN)
        level = self.level(question)
        return level.sl if level is not None else UNKNOWN


def services_of(match: IbMatch) -> tuple[range, ...]:
    """Give the service ids that a match asks for; none where it takes any.

    Example:
        >>> services_of(IbMatch(ulp="iser", port_numbers=("900",)))
        (range(17171332, 17171333),)
    """
    if is_known(match.service_ids):
        return ranges(match.service_ids)
    if not is_known(match.ulp) or match.ulp not in PROTOCOLS:
        return ()
    base, usual = PROTOCOLS[match.ulp]
    said = ranges(match.port_numbers) if is_known(match.port_numbers) else ()
    usually = range(usual, usual + 1) if usual else range(ALL_PORTS + 1)
    return tuple(range(base + each.start, base + each.stop) for each in said or (usually,))


def ranges(texts: Iterable[str]) -> tuple[range, ...]:
    """Give numbers as a policy writes them.

    Example:
        >>> ranges(["7-9", "0x10"])
        (range(7, 10), range(16, 17))
    """
    pairs = (text.partition("-")[::2] for text in texts)
    return tuple(range(int(low, 0), int(high or low, 0) + 1) for low, high in pairs)


def _holds(texts: Iterable[str], value: int) -> bool:
    return value > 0 and any(value in each for each in ranges(texts))


def compare_paths(
    services: Services,
    asked: Iterable[PathQuestion],
    answers: Mapping[PathQuestion, Known[tuple[IbPath, ...]]],
    *,
    engine: Known[str] = UNKNOWN,
) -> Iterator[Finding]:
    """Yield a finding for every path that is not what partitions and services say.

    Args:
        answers: Paths to each question; UNKNOWN where the query failed.
        engine: Routing engine in use; some put in service levels of their own.
    """
    for question in asked:
        command = " ".join(question.command)
        paths = answers.get(question, UNKNOWN)
        if not is_known(paths):
            yield unread("path-missing", question.places, "path record", command)
        elif not question.is_allowed and paths:
            yield made(
                "path-across-partitions",
                question.places,
                "the two share no partition and get a path",
                expected="no path",
                found=f"a path with P_Key {_key(paths[0])}",
                command=command,
                facts=("pkeys",),
            )
        elif question.is_allowed and not paths:
            yield made(
                "path-missing",
                question.places,
                "the two share a partition and get no path",
                expected=f"a path{f' with P_Key {question.pkey:#06x}' if question.pkey else ''}",
                found="none",
                command=command,
                facts=("pkeys",),
            )
        elif question.is_allowed and engine not in ENGINES_WITH_OWN_SL:
            yield from _compare_service(services, question, paths[0], command)


def _compare_service(
    services: Services, question: PathQuestion, path: IbPath, command: str
) -> Iterator[Finding]:
    wanted = services.sl(question)
    if is_known(wanted) and is_known(path.sl) and path.sl != wanted:
        yield made(
            "path-on-other-sl",
            question.places,
            f"a path in partition {question.pkey:#06x} has another service level",
            expected=f"SL {wanted}",
            found=f"SL {path.sl}",
            command=command,
            facts=("sl",),
        )
    level = services.level(question) if question.pkey else None
    if level is not None:
        yield from _compare_limits(level, question, path, command)


def _compare_limits(
    level: IbQosLevel, question: PathQuestion, path: IbPath, command: str
) -> Iterator[Finding]:
    facts: tuple[tuple[str, str, str, float, Known[int], Known[int]], ...] = (
        ("mtu", "MTU", "bytes", 1, level.mtu_limit, path.mtu),
        ("rate_bps", "rate", "Gb/s", 1e9, _bps(level.rate_limit), path.rate_bps),
        ("packet_life", "packet lifetime code", "", 1, level.packet_life, path.packet_life),
    )
    for fact, name, unit, scale, limit, found in facts:
        if is_known(limit) and is_known(found) and found > limit:
            yield made(
                "path-above-limit",
                question.places,
                f"a path has a larger {name} than its service {level.name} allows",
                expected=f"at most {limit / scale:g} {unit}".strip(),
                found=f"{found / scale:g} {unit}".strip(),
                command=command,
                facts=(fact,),
            )


def _bps(rate: Known[str]) -> Known[int]:
    """Give a rate as the intent writes it (``2.5G``) in bits per second."""
    return int(float(rate.removesuffix("G")) * 1e9) if is_known(rate) else UNKNOWN


def _key(path: IbPath) -> str:
    return f"{path.pkey:#06x}" if is_known(path.pkey) else "unknown"
