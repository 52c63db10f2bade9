"""Remarking: what a switch writes on the way out is what it believes on the way in."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Severity
from netcheck.model.known import is_known
from netcheck.model.view import PortView
from netcheck.rules.roce.groups import only_switch
from netcheck.rules.rule import Fault, Scope, rule

# map of remarking -> map of classification
MAPS = (("remark_dscp", "dscp_to_priority"), ("remark_pcp", "pcp_to_priority"))


@rule(
    "remark-unlike-classification",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source="Arista EOS User Manual, Quality of Service: `qos map traffic-class N to dscp M` "
    "rewrites on the way out and classifies nothing",
    is_proof=False,
)
def remark_unlike_classification(port: PortView) -> Iterator[Fault]:
    """A switch writes a DSCP or PCP for one class and takes it for another.

    Why: the map of remarking classifies nothing; packets with that mark arrive in the other
        class, without the treatment that was planned for them. Where remarking is on, the next
        switch puts them there as well.
    Bad: switch priority 7 is written as DSCP 48, DSCP 48 leads to 6.
    Good: DSCP 48 leads to 7.
    Fix: map the DSCP to the class (EOS: qos map dscp 48 to traffic-class 7), or drop the remarking.
    """
    only_switch(port)
    known = [pair for pair in MAPS if is_known(getattr(port.record.qos, pair[0]))]
    if not known:
        raise NotGivenError("map of remarking")
    for written, believed in known:
        with port.attempt():
            yield from _unlike(port, written, believed)


def _unlike(port: PortView, written: str, believed: str) -> Iterator[Fault]:
    marks = getattr(port, believed)
    used = frozenset(marks.values())
    for priority, mark in sorted(getattr(port.record.qos, written).items()):
        found = marks.get(mark)
        if priority in used and found != priority:
            yield Fault(
                port,
                (written, believed),
                f"{mark}->{priority}",
                f"{mark}->{'nothing' if found is None else found}",
                key=str(priority),
            )
