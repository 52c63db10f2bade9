"""Subnet managers of a fabric, and what is known of the fabric that they manage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from netcheck.model.device import Device
from netcheck.model.document import Evidence
from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Place, Severity
from netcheck.model.known import is_known, known_or
from netcheck.model.subnet_manager import SmConfig, SmMistake, SmOption, SmPartition, SmPolicy
from netcheck.model.view import FabricView
from netcheck.rules.rule import Fault

OPENSM: Final = "OpenSM 3.3.23 on a simulated fabric: what it does with a wrong file was measured"
DEFAULT_PKEY: Final = 0x7FFF


@dataclass(frozen=True, slots=True)
class Manager:
    """One subnet manager whose files were given."""

    view: FabricView
    device: Device
    config: SmConfig

    @property
    def options(self) -> dict[str, SmOption]:
        """What ``opensm.conf`` sets; empty where it was not given."""
        return dict(self.config.options) if is_known(self.config.options) else {}

    @property
    def partitions(self) -> tuple[SmPartition, ...]:
        """Partitions; none where their file was not given or is dropped."""
        return self.config.partitions if is_known(self.config.partitions) else ()

    @property
    def policy(self) -> SmPolicy:
        """The QoS policy; an empty one where its file was not given or is dropped."""
        return self.config.policy if is_known(self.config.policy) else SmPolicy()

    def token(self, key: str) -> str:
        """What tells whether two hidden values of an option are the same."""
        found = self.options.get(key)
        return found.token if found is not None else ""

    def value(self, key: str, default: str = "") -> str:
        """Give the value of an option that is in effect."""
        found = self.options.get(key)
        return found.value if found is not None and found.value else default

    def number(self, key: str, default: int = 0) -> int:
        """Give a number that is in effect; the default where none is written."""
        try:
            return int(self.value(key), 0)
        except ValueError:  # nothing, or a command line's text
            return default

    def is_on(self, key: str) -> bool:
        """Whether a switch is TRUE."""
        return self.value(key) == "TRUE"

    def fault(
        self,
        key: str,
        *,
        expected: object,
        found: object,
        effect: str,
        at: Evidence,
        severity: Severity | None = None,
    ) -> Fault:
        """Give a fault at a place in the manager's files."""
        return Fault(
            self.view,
            (key,),
            expected,
            found,
            effect,
            places=(Place(self.device.name),),
            severity=severity,
            evidence=at,
        )

    @property
    def intended_build(self) -> str:
        """The build that the intent says for its subnet; empty where it says none."""
        try:
            subnets = self.view.plan.subnets
        except NotGivenError:
            return ""
        managed = (
            subnet
            for subnet in subnets.values()
            if self.device.name in known_or(subnet.subnet_managers, ())
        )
        only = next(iter(subnets.values())) if len(subnets) == 1 else None
        subnet = next(managed, only)
        return known_or(subnet.opensm_build, "") if subnet is not None else ""

    def at(self, key: str) -> Evidence:
        """Where an option stands, else where the manager's files begin."""
        found = self.options.get(key)
        return found.evidence if found else self.device.find_evidence("device")


def managers(fabric: FabricView) -> list[Manager]:
    """Give the subnet managers whose files were given.

    Raises:
        NotGivenError: There is none.
    """
    found = [
        Manager(fabric, device, device.subnet_manager)
        for device in fabric.record.devices.values()
        if is_known(device.subnet_manager)
    ]
    if not found:
        raise NotGivenError("files of a subnet manager")
    return found


def misread(fabric: FabricView, *kinds: SmMistake) -> Iterator[Fault]:
    """Yield a fault for each place of these kinds that is not taken as it is written."""
    for manager in managers(fabric):
        for one in manager.config.misreadings:
            if one.kind in kinds:
                yield manager.fault(
                    one.key,
                    expected=one.expected,
                    found=one.written,
                    effect=one.effect,
                    at=one.evidence,
                    severity=one.severity,
                )
