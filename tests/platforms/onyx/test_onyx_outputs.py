"""What is read of a switch: its configuration, and what it shows of its subnet manager."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcheck import api
from netcheck.model.device import Device
from netcheck.model.document import Document, DocumentKind
from netcheck.model.finding import Verdict
from netcheck.model.known import UNKNOWN, is_known
from netcheck.model.subnet_manager import SmConfig, SmPartition
from netcheck.platforms.onyx.parse import parse
from netcheck.platforms.platform import recognise
from tests.platforms.onyx.onyx_texts import CONFIG, OLD_PARTITIONS, PARTITIONS, VERSION

SHARED = Path(__file__).resolve().parents[4] / "shared" / "captures" / "onyx"
FIRST, SECOND = "0xe41d2d0300156e80", "0xe41d2d0300156e90"


def read(**texts: str) -> Device:
    return parse([Document(f"{name}.txt", text) for name, text in texts.items()], name="ibsw01")


def manager(device: Device) -> SmConfig:
    assert is_known(device.subnet_manager)
    return device.subnet_manager


def partitions(device: Device) -> dict[str, SmPartition]:
    found = manager(device).partitions
    assert is_known(found)
    return {one.name: one for one in found}


def members(one: SmPartition) -> dict[str, str]:
    return {each.name: each.membership for each in one.members}


def test_a_running_configuration_tells_options_roots_and_partitions() -> None:
    device = read(running_config=CONFIG)
    config = manager(device)
    assert is_known(config.options)
    assert {key: one.value for key, one in config.options.items()} == {
        "sm": "TRUE",  # by its own node's line
        "sm_priority": "14",
        "subnet_prefix": str(0xFE80000000000001),
        "lmc": "1",
        "routing_engine": "ftree,updn",
        "max_op_vls": "3",
        "root_guids": "0x0002c90200300010",
    }
    assert is_known(config.roots)
    assert config.roots.guids == (0x0002C90200300010,)
    tenant = partitions(device)["tenant-a"]
    assert (tenant.pkey, tenant.mtu_bytes, tenant.rate_bps, tenant.sl) == (
        0x0A01,
        4096,
        200_000_000_000,
        1,
    )
    assert members(tenant) == {FIRST: "full", SECOND: "limited"}
    assert device.unread == ()


def test_what_the_manager_holds_wins_over_what_it_was_told() -> None:
    device = read(**{"running-config": CONFIG, "ib_partition": PARTITIONS, "ib_sm": "disable\n"})
    assert manager(device).options["sm"].value == "FALSE"  # type: ignore[index]  # known
    found = partitions(device)
    assert members(found["tenant-a"]) == {FIRST: "limited"}
    assert (found["tenant-a"].sl, found["Default"].default_membership) == (1, "limited")
    assert members(found["Default"]) == {"ALL": "full", "SELF": "full"}


@pytest.mark.parametrize("text", [PARTITIONS, OLD_PARTITIONS])
def test_both_formats_of_partitions_are_read(text: str) -> None:
    device = read(ib_partition=text)
    default = partitions(device)["Default"]
    assert (default.pkey, default.is_ipoib) == (0x7FFF, True)
    assert members(default)["ALL"] == "full"
    assert manager(device).options is UNKNOWN
    assert device.unread == ()


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (PARTITIONS, "  PKey : 0x0A01"),
        (OLD_PARTITIONS, "  members\n"),
        (OLD_PARTITIONS, "    PKey      = 0x7FFF"),
    ],
)
def test_a_line_that_is_cut_makes_no_partition(text: str, cut: str) -> None:
    assert cut in text
    part = cut.rstrip("\n")[:6]
    for read_text in (text.partition(cut)[0] + part, text.replace(cut.rstrip("\n"), part)):
        device = read(**{"running-config": "hostname a\nib sm\n", "ib_partition": read_text})
        assert set(partitions(device)) <= {"Default", "tenant-a"}
        assert device.unread or device.defects


@pytest.mark.parametrize("head", ["tenant-a:", "\ntenant-a:\n"])
def test_what_stands_below_a_lost_name_is_nobody_s(head: str) -> None:
    assert head in PARTITIONS
    for instead in ("", "tenan"):
        device = read(ib_partition=PARTITIONS.replace(head, instead))
        [default] = partitions(device).values()
        assert (default.pkey, members(default)) == (0x7FFF, {"ALL": "full", "SELF": "full"})
        assert device.unread != ()


@pytest.mark.parametrize("text", [PARTITIONS, OLD_PARTITIONS])
def test_a_partition_may_be_called_as_a_line_of_it_is(text: str) -> None:
    found = partitions(read(ib_partition=text.replace("Default", "members")))
    assert found["members"].pkey == 0x7FFF


def test_a_switch_that_is_not_told_to_runs_no_manager() -> None:
    text = CONFIG.replace("   ib smnode ibsw01 enable\n", "")
    options = manager(read(running_config=text)).options
    assert is_known(options)
    assert options["sm"].written == "no ib sm"


def test_lines_about_the_manager_that_are_not_understood_are_kept() -> None:
    text = "hostname a\nib sm sm-priority high\nib partition x colour red\nib partition x\n"
    device = read(running_config=text)
    assert [at.line for at in device.unread] == [2, 3, 4]


@pytest.mark.parametrize("name", ["ib_partition", "ib_sm"])
@pytest.mark.parametrize("text", ["", "% Internal error\n"])
def test_an_output_that_says_nothing_is_missing_evidence(name: str, text: str) -> None:
    device = read(**{name: text})
    assert device.subnet_manager is UNKNOWN
    [defect] = device.defects
    assert "what it would say is unknown" in defect.message


@pytest.mark.parametrize(
    ("text", "form", "kind"),
    [
        (CONFIG, "running-config", DocumentKind.CONFIG),
        (PARTITIONS, "show ib partition", DocumentKind.CONFIG),
        (OLD_PARTITIONS, "show ib partition", DocumentKind.CONFIG),
        (VERSION, "show version", DocumentKind.STATE),
    ],
)
def test_each_text_is_recognised_by_what_it_says(text: str, form: str, kind: DocumentKind) -> None:
    found = recognise(Document("some.txt", text))
    assert found is not None
    assert (found.platform, found.form, found.kind) == ("onyx", form, kind)
    assert read(version=VERSION).os_version == "3.11.3002"


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="reference captures are not beside the project")
def test_outputs_of_ethernet_are_not_taken_for_ours() -> None:
    files = [path for path in SHARED.iterdir() if path.suffix in {".txt", ".json"}]
    assert files
    for path in files:
        document = Document(path.name, path.read_text("utf-8"))
        found = recognise(document)
        assert found is None or found.platform != "onyx"
        assert parse([document], name="sw").subnet_manager is UNKNOWN


def test_a_folder_with_a_switch_s_configuration_is_linted(tmp_path: Path) -> None:
    (tmp_path / "ibsw01.cfg").write_text(CONFIG)
    report = api.lint_paths(tmp_path)
    assert report.devices == ("ibsw01",)
    assert report.unrecognised == ()
    failed = {each.rule: each for each in report.findings if each.verdict is Verdict.FAIL}
    assert set(failed) == {"sm-ftree-with-lmc", "sm-qos-off"}
    [at] = failed["sm-ftree-with-lmc"].evidence
    assert (Path(at.file).name, at.line) == ("ibsw01.cfg", 29)


def test_a_switch_without_roots_detects_them_itself(tmp_path: Path) -> None:
    text = CONFIG.replace("   ib sm root-guid 0x0002c90200300010\n", "").replace(" sl 1 ", " sl 0 ")
    (tmp_path / "ibsw01.cfg").write_text(text.replace("   ib sm lmc 1\n", ""))
    report = api.lint_paths(tmp_path)
    assert [each for each in report.findings if each.verdict is Verdict.FAIL] == []


def test_a_whole_configuration_leaves_the_default_partition_as_a_switch_has_it() -> None:
    text = CONFIG.replace("   ib partition Default defmember limited force\n", "")
    default = partitions(read(running_config=text))["Default"]
    assert (default.pkey, default.is_ipoib, members(default)) == (0x7FFF, True, {"ALL": "full"})


def test_a_number_of_lanes_that_is_none_is_left_unread() -> None:
    text = CONFIG.replace("max-op-vls 4", "max-op-vls 18446744073709551616")
    assert text != CONFIG
    device = parse([Document("running-config.txt", text)], name="ibsw01")
    assert is_known(device.subnet_manager)
    assert is_known(device.subnet_manager.options)
    assert "max_op_vls" not in device.subnet_manager.options
    assert [one.line for one in device.unread] == [
        number for number, line in enumerate(text.splitlines(), 1) if "max-op-vls" in line
    ]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("ib partition a pkey 0x10a01 force", "ib partition a pkey"),
        ("ib partition a pkey 0x8000", "ib partition a pkey"),
        ("ib partition a sl 99", "ib partition a sl"),
        ("ib sm root-guid 0x10002c90200300010", "ib sm root-guid"),
        ("ib sm subnet-prefix 0x1fe80000000000001", "ib sm subnet-prefix"),
        ("ib sm m-key 0x15ec2e7000000aaaa", "ib sm m-key"),
    ],
)
def test_a_number_that_is_too_wide_is_a_defect_and_no_other_number(line: str, place: str) -> None:
    device = read(running_config=f"hostname a\nib sm\n{line}\n")
    [defect] = device.defects
    assert (defect.place, defect.evidence.line) == (place, 3)
    assert "5ec2e7" not in defect.message
    assert manager(device).roots is UNKNOWN
    assert partitions(device).keys() <= {"Default"}
    assert [at.line for at in device.unread] == [3]


def test_a_key_that_is_shown_too_wide_is_a_defect() -> None:
    device = read(ib_partition=PARTITIONS.replace("0x0A01", "0x10A01"))
    [defect] = device.defects
    assert defect.message == "partition tenant-a PKey: 0x10A01 is no value that it can have"
    assert partitions(device)["tenant-a"].pkey is UNKNOWN


def test_a_key_that_is_masked_is_there_and_not_told() -> None:
    config = manager(read(running_config="hostname a\nib sm\nib sm m-key ********\n"))
    assert is_known(config.options)
    assert (config.options["m_key"].value, config.options["m_key"].token) == ("***", "")
