from __future__ import annotations

from pathlib import Path

import pytest

from netcheck.lab.devices.nxos.refusals import refusal_texts
from tests.lab.nxos.nxos_labs import (
    LOSSLESS,
    PAUSE,
    build_lab,
    configured,
    switch_of,
    typed,
)

QUEUE = "policy-map type queuing OUT\nclass type queuing c-out-8q-q3\n"
INPUT = "policy-map type queuing NEW\nclass type queuing c-in-q3\n"
NO_DROP = "policy-map type network-qos NEW\n"
LONG = "N" * 41

# lines typed after the good configuration; the last one is refused for the named reason
BAD: list[tuple[str, str]] = [
    ("interface Ethernet1/1\npriority-flow-control priority 3 no-drop", "invalid-command"),
    ("policy-map type network-qos LOSSLESS\nclass type queuing c-out-8q-q3", "invalid-command"),
    ("interface Ethernet1/1\nservice-policy type network-qos LOSSLESS", "invalid-command"),
    ("interface Ethernet1/1\npriority-flow-control mode", "incomplete-command"),
    (
        "policy-map type network-qos LOSSLESS\nclass type network-qos c-8q-nq3\npause no-drop",
        "incomplete-command",
    ),
    ("p", "ambiguous-command"),
    ("interface Ethernet1/9", "no-such-interface"),
    ("class-map type qos match-any NEW\nmatch dscp 64", "dscp-range"),
    ("class-map type qos match-any NEW\nmatch cos 8", "cos-range"),
    ("policy-map type qos IN\nclass RDMA\nset qos-group 8", "qos-group-range"),
    (NO_DROP + "class type network-qos c-8q-nq4\npause pfc-cos 8", "pfc-cos-range"),
    (QUEUE + "bandwidth remaining percent 101", "percent-range"),
    (
        "policy-map type queuing OUT\nclass type queuing c-out-8q-q6\npriority level 9",
        "priority-level-range",
    ),
    (
        QUEUE + "random-detect minimum-threshold 99999999 kbytes maximum-threshold 99999999 kbytes"
        " drop-probability 1",
        "threshold-range",
    ),
    (
        QUEUE + "random-detect minimum-threshold 1 kbytes maximum-threshold 2 kbytes"
        " drop-probability 1 weight 16",
        "wred-weight-range",
    ),
    (
        INPUT + "pause buffer-size 99999999 pause-threshold 1 resume-threshold 1",
        "pause-buffer-range",
    ),
    ("interface Ethernet1/1\nmtu 9217", "mtu-range"),
    (
        "policy-map type network-qos LOSSLESS\nclass type network-qos c-8q-nq3\nmtu 10000",
        "class-mtu-range",
    ),
    ("priority-flow-control watch-dog interval 99", "watchdog-interval-range"),
    ("priority-flow-control watch-dog shutdown-multiplier 11", "watchdog-multiplier-range"),
    ("priority-flow-control auto-restore multiplier 101", "watchdog-restore-range"),
    ("lldp timer 4294967296", "number-range"),
    (f"class-map type qos match-any {LONG}", "name-too-long"),
    ("policy-map type qos IN\nclass NOSUCH", "class-undefined"),
    ("policy-map type network-qos LOSSLESS\nclass type network-qos c-out-8q-q3", "class-undefined"),
    ("class-map type queuing match-any MINE", "queuing-class-not-made"),
    ("class-map type queuing match-any c-out-8q-q3", "predefined-class"),
    ("class-map type network-qos match-any c-8q-nq3", "predefined-class"),
    ("policy-map type queuing default-8q-out-policy", "predefined-policy"),
    ("interface Ethernet1/1\nservice-policy type qos input NOSUCH", "policy-undefined"),
    ("system qos\nservice-policy type queuing output LOSSLESS", "policy-undefined"),
    ("no policy-map type queuing OUT", "policy-in-use"),
    ("no policy-map type qos IN", "policy-in-use"),
    ("no class-map type qos match-any CNP", "class-in-use"),
    (QUEUE + "bandwidth remaining percent 51", "remaining-over-100"),
    (
        (
            "policy-map type queuing OUT\nclass type queuing c-out-8q-q1\nbandwidth percent 60\n"
            "class type queuing c-out-8q-q2\nbandwidth percent 41"
        ),
        "bandwidth-over-100",
    ),
    (QUEUE + "priority level 1", "priority-with-bandwidth"),
    (
        PAUSE + "policy-map type queuing PAUSE\nclass type queuing c-in-q2\nbandwidth percent 5",
        "pause-with-bandwidth",
    ),
    (
        INPUT + "pause buffer-size 100000 pause-threshold 100000 resume-threshold 50000",
        "pause-threshold-order",
    ),
    (
        QUEUE + "random-detect minimum-threshold 2 kbytes maximum-threshold 1 kbytes"
        " drop-probability 1",
        "threshold-order",
    ),
    (
        PAUSE + "interface Ethernet1/1\nservice-policy type queuing output PAUSE",
        "pause-buffer-output",
    ),
    (
        "class-map type qos match-all NEW\nmatch access-group name ROCE\nmatch dscp 26",
        "acl-with-others",
    ),
    (
        NO_DROP
        + "".join(f"class type network-qos c-8q-nq{n}\npause pfc-cos {n}\n" for n in range(1, 5)),
        "no-drop-limit",
    ),
    (
        "policy-map type network-qos LOSSLESS\nclass type network-qos c-8q-nq4\npause pfc-cos 3",
        "pfc-cos-twice",
    ),
    ("interface Ethernet1/1\nmtu 9000", "mtu-layer2"),
    ("no feature lldp\nlldp tlv-select dcbxp egress-queuing", "lldp-off"),
    ("end\ncheckpoint system-mine", "checkpoint-name"),
    ("end\ncheckpoint mine\ncheckpoint mine", "checkpoint-twice"),
    ("end\n" + "\n".join(f"checkpoint c{n}" for n in range(11)), "checkpoint-limit"),
    ("end\nrollback running-config checkpoint nosuch", "checkpoint-missing"),
]


def words_of(name: str) -> str:
    """The part of a refusal's words that stands before anything filled in."""
    return refusal_texts()[name]["says"].partition("{")[0].strip()


@pytest.mark.parametrize(("lines", "name"), BAD)
def test_the_switch_refuses_what_nxos_refuses(tmp_path: Path, lines: str, name: str) -> None:
    switch = switch_of(build_lab(tmp_path))
    assert configured(switch, LOSSLESS) == []
    *good, last = lines.strip().splitlines()
    console = switch.new_shell()
    typed(console, ["configure terminal"])
    assert [text for text in typed(console, good) if "ERROR" in text or "%" in text] == []
    before = switch.root.copy()
    answer = typed(console, [last])
    assert words_of(name) in answer[0]
    assert console.status == 1
    assert switch.root == before


def test_every_refusal_has_its_words_and_its_source_and_is_tried() -> None:
    texts = refusal_texts()
    assert all(set(row) == {"says", "source"} and all(row.values()) for row in texts.values())
    assert {name for _, name in BAD} == set(texts)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (
            "interface Ethernet1/9",
            "                         ^\n% Invalid interface format at '^' marker.\n",
        ),
        (
            "  mtu 99999",
            "                     ^\n% Invalid number, range is (576:9216) at '^' marker.\n",
        ),
    ],
)
def test_the_marker_stands_below_the_word_that_is_not_understood(
    tmp_path: Path, line: str, answer: str
) -> None:
    switch = switch_of(build_lab(tmp_path))
    console = switch.new_shell()
    typed(console, ["configure terminal"])
    if "mtu" in line:
        typed(console, ["interface Ethernet1/1"])
    assert console.prompt in ("leaf01(config)# ", "leaf01(config-if)# ")
    expected = " " * (len(console.prompt) + line.index(line.rsplit(maxsplit=1)[-1])) + "^\n"
    found = typed(console, [line])[0]
    assert found == expected + answer.partition("\n")[2]
