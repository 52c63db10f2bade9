"""A change sets what differs, unsets what must go, and can be taken back."""

from __future__ import annotations

import pytest

from netcheck.model.errors import InputError
from netcheck.platforms.cumulus.apply import PATCH, holdings, plan
from netcheck.platforms.cumulus.commands import is_read_only
from netcheck.platforms.cumulus.render import render
from netcheck.platforms.platform import Change, Impact, Removal, Run, Upload
from tests.platforms.cumulus.cumulus_switch import BORDER_QOS, FABRIC, leaf, port
from tests.platforms.cumulus.cumulus_texts import REVISIONS

DEVICE = leaf(port("swp1"), port("swp2", qos=BORDER_QOS))
RENDERED = render(DEVICE, FABRIC)
HEADER = """\
- header:
    model: SN5600
    nvue-api-version: nvue_v1
    rev-id: 1.0
    version: Cumulus Linux 5.17.0
"""
FACTORY = (
    HEADER
    + """\
- set:
    interface:
      eth0:
        ip:
          address:
            dhcp: {}
        type: eth
      swp1-64:
        type: swp
    system:
      hostname: leaf01
"""
)


def change(held: str, **more: str) -> Change:
    return plan(DEVICE, RENDERED, {"nvue.yaml": held, "revisions.txt": REVISIONS, **more})


def uploaded(found: Change) -> str:
    return next(step.text for step in found.steps if isinstance(step, Upload))


def lines(found: Change) -> list[str]:
    return [step.line for step in found.steps if isinstance(step, Run)]


def test_everything_is_set_on_a_new_switch_and_nothing_removed() -> None:
    found = change(FACTORY)
    assert lines(found) == [
        f"nv config patch {PATCH}",
        "nv config diff",
        "nv config apply -y",
    ]
    assert found.removals == ()
    assert "default-lossless:\n          memory-percent: 50" in uploaded(found)
    assert "eth0" not in uploaded(found)
    assert found.impact is Impact.DEVICE


def test_nothing_changes_where_the_switch_holds_what_is_rendered() -> None:
    assert change(HEADER + RENDERED["startup.yaml"]).is_empty


def test_words_of_the_other_release_are_no_change() -> None:
    text = RENDERED["startup.yaml"].replace("enabled", "enable").replace("disabled", "disable")
    assert change(HEADER + text).is_empty


def test_what_is_set_has_the_words_of_the_release_that_runs() -> None:
    found = change(FACTORY.replace("5.17.0", "5.14.1"))
    assert "ecn: enable\n" in uploaded(found)
    assert "dcbx-pfc-tlv: off" in uploaded(found)


def test_a_tuned_number_alone_is_patched() -> None:
    held = HEADER + RENDERED["startup.yaml"].replace("probability: 20", "probability: 5")
    found = change(held)
    assert uploaded(found) == (
        "- set:\n    qos:\n      congestion-control:\n        backend:\n"
        "          traffic-class:\n            '3':\n              probability: 20\n"
    )
    assert found.objects == (
        (
            "qos congestion-control backend",
            "traffic-class 3 probability 5",
            "traffic-class 3 probability 20",
        ),
    )
    assert found.impact is Impact.QUEUE


def test_a_priority_too_many_is_unset() -> None:
    text = RENDERED["startup.yaml"].replace("            '3': {}\n", "            3-4: {}\n")
    found = change(HEADER + text)
    assert lines(found)[0] == "nv unset qos pfc backend switch-priority 4"
    assert not any(isinstance(step, Upload) for step in found.steps)


def test_one_click_roce_goes_since_it_would_set_all_ports() -> None:
    held = FACTORY.replace(
        "    system:", "    qos:\n      roce:\n        mode: lossless\n    system:"
    )
    found = change(held)
    assert found.removals == (Removal("qos roce"),)


def test_a_port_without_pfc_loses_its_profile_and_that_of_all_ports() -> None:
    held = FACTORY.replace(
        "swp1-64:\n", "swp2:\n        qos:\n          pfc:\n            profile: old\n"
    )
    held = held.replace(
        "    system:",
        "    qos:\n      pfc:\n        default-global:\n          switch-priority:\n"
        "            '3': {}\n        old:\n          tx: enable\n    system:",
    )
    assert set(change(held).removals) == {
        Removal("interface swp2 qos pfc"),
        Removal("qos pfc default-global"),
        Removal("qos pfc old"),
    }


def test_a_profile_that_another_port_uses_stays() -> None:
    held = FACTORY.replace(
        "swp1-64:\n", "swp9:\n        qos:\n          pfc:\n            profile: old\n"
    )
    held = held.replace(
        "    system:", "    qos:\n      pfc:\n        old:\n          tx: enable\n    system:"
    )
    assert change(held).removals == ()


def test_a_switch_with_a_lossless_pool_keeps_its_shares() -> None:
    pools = "      traffic-pool:\n        default-lossless:\n          memory-percent: 70\n"
    held = FACTORY.replace("    system:", f"    qos:\n{pools}    system:")
    assert "traffic-pool" not in uploaded(change(held))


def test_a_change_is_undone_by_the_revision_that_was_applied() -> None:
    assert [step.line for step in change(FACTORY).undo if isinstance(step, Run)] == [
        "nv config detach",
        "nv config apply 7 -y",
        "nv config save",
    ]


def test_without_revisions_the_saved_configuration_is_applied_again() -> None:
    found = plan(DEVICE, RENDERED, {"nvue.yaml": FACTORY})
    assert Run("nv config apply startup -y", 300.0) in found.undo


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({}, r"leaf01 nvue\.yaml: is not there"),
        ({"nvue.yaml": "- set: [1,"}, "leaf01 nv config show: nvue.yaml: no YAML from here"),
        (
            {"nvue.yaml": FACTORY, "pending.yaml": "- set:\n    system:\n      hostname: x\n"},
            "expected nothing pending",
        ),
    ],
)
def test_what_cannot_be_merged_stops_the_plan(held: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(DEVICE, RENDERED, held)


def test_what_is_asked_before_a_plan_reads_only() -> None:
    assert all(is_read_only(one.line) for one in holdings(DEVICE))
