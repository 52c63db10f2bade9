"""Maps that are there and leave a lossless class out."""

from __future__ import annotations

from collections.abc import Iterator

from netcheck.model.finding import Severity
from netcheck.model.view import PortView
from netcheck.rules.roce.groups import only_switch
from netcheck.rules.rule import Fault, Scope, rule

MAPS = {"priority_to_priority_group": "priority group", "priority_to_queue": "queue"}


@rule(
    "lossless-priority-unmapped",
    severity=Severity.ERROR,
    scope=Scope.PORT,
    source="derived: opencomputeproject/SAI saiport.h gives number 0 to what no map leads "
    "elsewhere (SAI_PORT_ATTR_QOS_TC_TO_PRIORITY_GROUP_MAP, SAI_PORT_ATTR_QOS_TC_TO_QUEUE_MAP)",
    is_proof=False,
)
def lossless_priority_unmapped(port: PortView) -> Iterator[Fault]:
    """A map of a switch port has entries, and none for the switch priority of a lossless class.

    Why: the class is counted to the group (or sent through the queue) of number 0, which has no
        headroom and does not pause.
    Bad: priority 3 is lossless, the map has 0->0, 4->4 and 6->0.
    Good: the map has 3->3 as well.
    Fix: add the entry.
    """
    only_switch(port)
    for fact, word in MAPS.items():
        with port.attempt():
            yield from _left_out(port, fact, word)


def _left_out(port: PortView, fact: str, word: str) -> Iterator[Fault]:
    mapped = getattr(port, fact)
    for each in port.lossless:
        if mapped and each.priority not in mapped:
            yield Fault(
                port,
                (fact,),
                f"an entry for priority {each.priority}",
                f"entries for {', '.join(map(str, sorted(mapped)))}",
                note=f"{word} of the class",
                number=f"priority {each.priority}",
            )
