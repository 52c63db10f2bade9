from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from netcheck.intent import IntentError, load_intent
from netcheck.model.fabric import PortRef
from netcheck.model.known import UNKNOWN

Write = Callable[..., Path]
PLAN = """\
a_device,a_port,b_device,b_port,cable,media
leaf01,Ethernet0,gpu01,rail0,5m,dac
leaf01,Ethernet8,gpu01,rail1,,
"""


def test_a_cabling_plan_gives_links_with_their_lines(write: Write) -> None:
    write(PLAN, "plan.csv")
    first, second = load_intent(write("{netcheck: 1, links: {csv: plan.csv}}")).links
    assert (first.a, first.b) == (PortRef("leaf01", "Ethernet0"), PortRef("gpu01", "rail0"))
    assert (first.length_m, first.media, first.evidence.line) == (5.0, "dac", 2)
    assert (second.length_m, second.media) == (UNKNOWN, UNKNOWN)


def test_a_cable_beside_the_plan_holds_where_the_plan_says_none(write: Write) -> None:
    write(PLAN, "plan.csv")
    fabric = load_intent(write("{netcheck: 1, links: [{csv: plan.csv, cable: 7m}]}"))
    assert [link.length_m for link in fabric.links] == [5.0, 7.0]


def test_columns_of_other_names_are_said_in_the_intent(write: Write) -> None:
    write("From,From Port,To,To Port,length_m\nl1,e0,g1,r0,3\n", "plan.csv")
    text = """
        netcheck: 1
        links:
          csv: plan.csv
          columns: {a_device: From, a_port: From Port, b_device: To, b_port: To Port}
        """
    (link,) = load_intent(write(text)).links
    assert (link.a, link.b, link.length_m) == (PortRef("l1", "e0"), PortRef("g1", "r0"), 3.0)


def test_ranges_in_a_plan_run_as_in_links(write: Write) -> None:
    row = "gpu[1-2],r0,leaf1,e[0-8:8],5m,\n"
    write(f"a_device,a_port,b_device,b_port,cable,media\n{row}", "plan.csv")
    links = load_intent(write("{netcheck: 1, links: {csv: plan.csv}}")).links
    assert [str(link.b) for link in links] == ["leaf1 e0", "leaf1 e8"]


def test_plans_and_links_stand_side_by_side(write: Write) -> None:
    write(PLAN, "plan.csv")
    text = '{netcheck: 1, links: [{csv: plan.csv}, {a: "x:1", b: "y:1", cable: 1m}]}'
    assert len(load_intent(write(text)).links) == 3


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("", "plan.csv: empty, expected a header and links"),
        ("a_device,a_port,b_device,bport\n", "plan.csv:1: no column b_port; did you mean bport?"),
        (PLAN + "leaf01,,gpu02,rail0,5m,\n", "plan.csv:4: a_port: empty"),
        (PLAN + "l,e,g,r,5,\n", "plan.csv:4: cable: expected a length such as 40m"),
        (PLAN + 'l,e,"g,r,5m\n', "plan.csv:4: not CSV: unexpected end of data"),
        (PLAN + "leaf01,e16,gpu02\n", "plan.csv:4: b_port: empty"),
    ],
)
def test_a_bad_plan_is_refused_with_its_line(plan: str, message: str, write: Write) -> None:
    write(plan, "plan.csv")
    with pytest.raises(ValueError, match="plan") as caught:
        load_intent(write("{netcheck: 1, links: {csv: plan.csv}}"))
    assert message in str(caught.value)


def test_ends_have_to_be_declared_once_devices_are(write: Write) -> None:
    write(PLAN, "plan.csv")
    text = "{netcheck: 1, links: {csv: plan.csv}, devices: {leaf01: {}, gpu02: {}}}"
    with pytest.raises(IntentError, match=r"plan\.csv:2: device gpu01 is not declared"):
        load_intent(write(text))
