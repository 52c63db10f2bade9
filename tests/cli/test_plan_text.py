from netcheck.cli.plan_text import plan_lines
from netcheck.collect.target import Target
from netcheck.deploy.plan import Order, Plan
from netcheck.model.device import Device
from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms.platform import Change, Impact, Removal, Run


def order(name: str, change: Change) -> Order:
    target = Target(name, "127.0.0.1", "admin", "linux")
    nothing: FrozenMap[str, str] = FrozenMap()
    return Order(Device(name), target, nothing, nothing, change, change)


def plan(**changes: Change) -> Plan:
    return Plan("lab", FrozenMap({name: order(name, each) for name, each in changes.items()}))


QUEUES = Change(
    objects=(
        ("QUEUE|Ethernet0|3", "", "scheduler=dwrr"),
        ("QUEUE|Ethernet8|3", "", "scheduler=dwrr"),
        ("PORT|Ethernet0", "mtu=9100", "mtu=9216"),
        ("/etc/roce.sh", "", "one\ntwo\n"),
        ("port rail0 trust", "pcp", "dscp"),
        ("port rail1 trust", "pcp", "dscp"),
    ),
    removals=(Removal("SCHEDULER|old"),),
    steps=(Run("true"),),
    impact=Impact.PORT,
    reason="links go down",
)


def test_devices_and_objects_that_are_alike_stand_together() -> None:
    assert list(plan_lines(plan(leaf01=QUEUES, leaf02=QUEUES, leaf03=Change()))) == [
        "leaf[01-02]  disturbs port (links go down)",
        "  + QUEUE|Ethernet[0,8]|3  scheduler=dwrr",
        "  ~ PORT|Ethernet0         mtu=9100 -> mtu=9216",
        "  + /etc/roce.sh           2 lines",
        "  ~ port rail[0-1] trust   pcp -> dscp",
        "  - SCHEDULER|old",
        "",
    ]


def test_a_plan_without_changes_has_no_lines() -> None:
    assert list(plan_lines(plan(leaf01=Change()))) == []
