"""Path records of a subnet against partitions and services of an intent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

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
    """

    places: tuple[Place, Place]
    guids: tuple[int, int]
    lids: tuple[int, int]
    pkey: int
    is_allowed: bool

    @property
    def command(self) -> tuple[str, ...]:
        """The call that asks."""
        key = ("--pkey", f"{self.pkey:#06x}") if self.pkey else ()
        return ("saquery", "-p", "--slid", str(self.lids[0]), "--dlid", str(self.lids[1]), *key)


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

    def level(self, question: PathQuestion) -> IbQosLevel | None:
        """Give the service of a path; None where no service is said or the default is unsaid."""
        rules = [(one, match) for one in self.levels for match in one.matches]
        for is_protocol in (False, True):
            for one, match in rules:
                if is_known(match.ulp) is is_protocol and self._fits(match, question):
                    return one
        return self.default

    def _fits(self, match: IbMatch, question: PathQuestion) -> bool:
        if any(map(is_known, (match.port_numbers, match.service_ids, match.qos_classes))):
            return False  # such a request carries more than a path query
        if is_known(match.ulp) and match.ulp not in {"any", "ipoib"}:
            return False
        if is_known(match.partition):
            partition = self.subnet.partitions.get(match.partition)
            if partition is None or partition.pkey & LOW_15 != question.pkey:
                return False
        elif match.ulp == "ipoib" and question.pkey != DEFAULT_KEY:
            return False
        ends = zip((match.source, match.destination), question.guids, strict=True)
        return all(guid in self._ends[names] for names, guid in ends if is_known(names))

    def sl(self, question: PathQuestion) -> Known[int]:
        """Give the service level that a path has to have; UNKNOWN where nothing says one."""
        if not question.pkey:
            return UNKNOWN
        if not self.levels:
            said = (one for one in self.subnet.partitions.values() if is_known(one.sl))
            return next((one.sl for one in said if one.pkey & LOW_15 == question.pkey), UNKNOWN)
        level = self.level(question)
        return level.sl if level is not None else UNKNOWN


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
    limit = level.mtu_limit if level is not None else UNKNOWN
    if is_known(limit) and is_known(path.mtu) and path.mtu > limit:
        yield made(
            "path-above-limit",
            question.places,
            "a path has a larger MTU than its service allows",
            expected=f"at most {limit} bytes",
            found=f"{path.mtu} bytes",
            command=command,
            facts=("mtu",),
        )


def _key(path: IbPath) -> str:
    return f"{path.pkey:#06x}" if is_known(path.pkey) else "unknown"
