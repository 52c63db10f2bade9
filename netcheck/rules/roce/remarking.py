"""Remarking: what a switch writes on the way out is what it believes on the way in."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.fact import NotGivenError
from netcheck.model.finding import Severity
from netcheck.model.known import is_known
from netcheck.model.view import PortView
from netcheck.rules.roce.groups import only_switch
from netcheck.rules.rule import Fault, Scope, rule


@rule(
    "remark-unlike-classification",
    severity=Severity.WARNING,
    scope=Scope.PORT,
    source="Arista EOS User Manual, Quality of Service: `qos map traffic-class N to dscp M` "
    "rewrites on the way out and classifies nothing",
    is_proof=False,
)
def remark_unlike_classification(port: PortView) -> Iterator[Fault]:
    """A switch writes a DSCP for one class and takes it for another.

    Why: the map of remarking classifies nothing; packets with that DSCP arrive in the other
        class, without the treatment that was planned for them. Where remarking is on, the next
        switch puts them there as well.
    Bad: switch priority 7 is written as DSCP 48, DSCP 48 leads to 6.
    Good: DSCP 48 leads to 7.
    Fix: map the DSCP to the class (EOS: qos map dscp 48 to traffic-class 7), or drop the remarking.
    """
    only_switch(port)
    remarked = port.record.qos.remark_dscp
    if not is_known(remarked):
        raise NotGivenError("map of remarking")
    marks = port.dscp_to_priority
    used = frozenset(marks.values())
    for priority, dscp in sorted(remarked.items()):
        found = marks.get(dscp)
        if priority in used and found != priority:
            yield Fault(
                port,
                ("remark_dscp", "dscp_to_priority"),
                f"{dscp}->{priority}",
                f"{dscp}->{'nothing' if found is None else found}",
                key=str(priority),
            )
