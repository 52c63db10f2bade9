import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import click
import pytest

from netcheck.cli import app as entry
from netcheck.cli.commands import COMMANDS, help_page
from netcheck.deploy.plan import Plan, save_plan
from netcheck.model.errors import TransportError

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "lab-small.yaml")
Run = Callable[..., tuple[int, str, str]]

# synthetic, in the format of mlnx_qos: nothing is paused, marks are not believed
NIC = """\
Priority trust state: pcp
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   0   0   0   0   0
"""
INTENT = """\
netcheck: 1
name: small
roce: {policies: {p: {classes: {rdma: {priority: 3, dscp: [26], delivery: lossless}}}}}
"""


@pytest.fixture
def nic(tmp_path: Path) -> Path:
    path = tmp_path / "gpu01" / "mlnx_qos.txt"
    path.parent.mkdir()
    path.write_text(NIC, encoding="utf-8")
    return path.parent


@pytest.fixture
def intent(tmp_path: Path) -> Path:
    path = tmp_path / "intent.yaml"
    path.write_text(INTENT, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_help_is_the_commands_own(name: str) -> None:
    where, line = COMMANDS[name]
    module, _, attribute = where.partition(":")
    command = getattr(import_module(module), attribute)
    assert isinstance(command, click.Command)
    assert (command.help or "").splitlines()[0] == line
    assert command.name == name


def test_help_loads_no_command() -> None:
    code = (
        "import sys; from netcheck.cli.main import main; main(['--help']);"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in sys.argv[1:]"
        " or m.startswith('netcheck.cli.') and m not in sys.argv), file=sys.stderr)"
    )
    heavy = [
        "netmiko",
        "ansible",
        "jsonschema",
        "rich",
        "networkx",
        "asyncssh",
        "yaml",
        "jinja2",
        "click",
    ]
    allowed = ["netcheck.cli.main", "netcheck.cli.commands"]
    ended = subprocess.run(
        [sys.executable, "-c", code, *heavy, *allowed], capture_output=True, text=True, check=True
    )
    assert ended.stderr.strip() == "[]"


def test_lint_of_an_intent_loads_nothing_heavy(intent: Path) -> None:
    code = (
        "import sys; from netcheck.cli.main import main; main(['lint', sys.argv[1]]);"
        "print(sorted({m.split('.')[0] for m in sys.modules} & set(sys.argv[2:])), file=sys.stderr)"
    )
    heavy = ["netmiko", "paramiko", "ansible", "jsonschema", "rich", "networkx", "asyncssh"]
    ended = subprocess.run(
        [sys.executable, "-c", code, str(intent), *heavy],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stderr.strip() == "[]"


def test_a_clean_intent_ends_with_0(netcheck: Run, intent: Path) -> None:
    code, out, _ = netcheck("lint", intent)
    assert (code, out.splitlines()[-1]) == (0, "clean: no findings")


def test_findings_end_with_1_and_name_device_rule_and_line(
    netcheck: Run, nic: Path, intent: Path
) -> None:
    code, out, _ = netcheck("lint", nic, "--intent", intent)
    assert code == 1
    assert "gpu01" in out
    assert "nic-trust-pcp-with-dscp-intent" in out
    assert f"{nic}/mlnx_qos.txt:1" in out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["lint", "/nowhere/at/all"], 2),
        (["lint"], 2),
        (["lnit"], 2),
        ([], 2),
        (["--nothing"], 2),
        (["explain", "no-such-rule"], 2),
        (["headroom", "--asic", "spectrum-4", "--speed", "400G"], 2),
        (["--help"], 0),
        (["--version"], 0),
        (["rules"], 0),
        (["schema"], 0),
    ],
)
def test_each_ending_has_its_exit_code(netcheck: Run, arguments: list[str], code: int) -> None:
    ended = netcheck(*arguments)
    assert ended[0] == code
    assert "Traceback" not in ended[1] + ended[2]


def test_a_mistyped_command_is_answered_with_the_nearest(netcheck: Run) -> None:
    assert "Did you mean 'lint'?" in netcheck("lnit")[2]


def test_nothing_recognised_ends_with_3(netcheck: Run, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear reader,\n", encoding="utf-8")
    code, out, _ = netcheck("lint", tmp_path)
    assert (code, out.splitlines()[-1]) == (3, "nothing recognised")
    assert "letter.txt" in out


def test_an_empty_folder_is_named(netcheck: Run, tmp_path: Path) -> None:
    code, out, _ = netcheck("lint", tmp_path)
    assert (code, out.splitlines()[-1]) == (3, "nothing recognised")
    assert f"{tmp_path} (no file in it)" in out


def test_a_rollback_without_any_run_says_where_it_looked(netcheck: Run, tmp_path: Path) -> None:
    code, _, said = netcheck("rollback", "--yes", "--state", tmp_path)
    assert code == 2
    assert f"nothing to bring back: no run is recorded in {tmp_path}" in said


def test_a_verify_without_a_password_says_which_one(
    netcheck: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NETCHECK_PASSWORD", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    code, out, _ = netcheck("verify", EXAMPLE, "--between", "0")
    assert code == 3
    assert "environment variable NETCHECK_PASSWORD is not set" in out


def test_what_had_no_view_counts_only_when_all_is_required(netcheck: Run, nic: Path) -> None:
    nic.joinpath("mlnx_qos.txt").write_text(NIC.replace("state: pcp", "state: dscp"), "utf-8")
    assert netcheck("lint", nic)[0] == 0
    assert netcheck("lint", nic, "--require-complete")[0] == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("netcheck: 1\nname: x\nroec: {}\n", "did you mean roce?"),
        ("netcheck: 1\nname: [\n", ""),
        ("netcheck: 1\nname: a\nname: b\n", "name"),
        ("\0\1\2", ""),
    ],
)
def test_a_broken_intent_ends_with_2_and_its_place(
    netcheck: Run, tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(text, encoding="utf-8")
    code, out, err = netcheck("lint", path)
    assert code == 2
    assert "broken.yaml" in err
    assert message in err
    assert "Traceback" not in out + err


def test_json_is_printed_for_bad_input_too(netcheck: Run, tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("netcheck: 1\nname: x\nroec: {}\nnaem: {}\n", encoding="utf-8")
    code, out, _ = netcheck("lint", path, "--format", "json")
    findings = json.loads(out)["findings"]
    assert code == 2
    assert [each["rule"] for each in findings] == ["input-invalid"] * 2
    assert [each["evidence"][0]["line"] for each in findings] == [3, 4]


def test_json_is_printed_for_wrong_usage_too(netcheck: Run) -> None:
    code, out, _ = netcheck("lint", "--format=json", "--nothing")
    assert (code, json.loads(out)["summary"]["exit_code"]) == (2, 2)


def test_a_report_file_takes_the_format_its_name_asks_for(
    netcheck: Run, nic: Path, intent: Path, tmp_path: Path
) -> None:
    path = tmp_path / "out" / "report.json"
    code, out, _ = netcheck("lint", nic, "--intent", intent, "--report", path)
    assert json.loads(path.read_text("utf-8"))["summary"]["exit_code"] == code == 1
    assert out.count("\n") == 1


def test_a_limit_leaves_other_devices_out(netcheck: Run, nic: Path, intent: Path) -> None:
    other = nic.parent / "gpu02"
    shutil.copytree(nic, other)
    given = ("lint", nic, other, "--intent", intent, "--format", "json")
    _, out, _ = netcheck(*given, "--limit", "*2")
    found = json.loads(out)
    places = {place["device"] for one in found["findings"] for place in one["where"]}
    assert (places, found["summary"]["devices"]) == ({"gpu02"}, ["gpu02"])


@pytest.mark.parametrize(
    "command",
    [
        ["lint", EXAMPLE],
        ["lint", EXAMPLE, "--limit", "leaf01"],
        ["render", EXAMPLE, "-o", "out"],
        ["plan", EXAMPLE],
        ["deploy", EXAMPLE, "--yes"],
        ["collect", EXAMPLE, "-o", "out"],
        ["verify", EXAMPLE, "--snapshot", "."],
        ["verify", EXAMPLE],
        ["perf", EXAMPLE],
        ["run", EXAMPLE, "--yes"],
    ],
    ids=" ".join,
)
def test_a_limit_that_takes_no_device_is_bad_input(
    netcheck: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = netcheck(*command, "--limit", "laef01")
    assert (code, out) == (2, "")
    assert err == "--limit laef01: no such device; there are: leaf01, gpu01, gpu02\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["perf", "verify"])
@pytest.mark.parametrize("said", ["nan", "inf"])
def test_a_pause_of_no_known_length_is_refused(netcheck: Run, command: str, said: str) -> None:
    option = {"perf": "--settle", "verify": "--between"}[command]
    code, _, err = netcheck(command, EXAMPLE, option, said)
    assert code == 2
    assert f"Invalid value for '{option}'" in err


def test_a_measurement_that_could_not_be_kept_is_not_begun(netcheck: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    places = (
        ("", "it is a folder"),
        ("file/run.json", "no way to write to"),
        ("a" * 300, "File name too long"),
    )
    for place, reason in places:
        code, out, err = netcheck("perf", EXAMPLE, "-o", str(tmp_path / place))
        assert code == 2
        assert reason in out + err


def test_a_collective_test_is_one_line(netcheck: Run) -> None:
    code, _, err = netcheck("perf", EXAMPLE, "--collective", "mpirun\nall_reduce_perf")
    assert code == 2
    assert "--collective: expected one line of printable text" in err


def test_a_run_keeps_to_its_limit(netcheck: Run) -> None:
    limit = ("--stages", "lint,render", "--limit", "leaf*", "--format", "json")
    code, out, _ = netcheck("run", EXAMPLE, *limit)
    summary = json.loads(out)["summary"]
    assert (code, summary["devices"]) == (0, ["leaf01"])
    assert "rendered 1 files" in summary["notes"]


def test_a_limit_does_not_go_with_a_plan_of_its_own(netcheck: Run, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    save_plan(Plan("x"), path)
    code, _, err = netcheck("deploy", path, "--limit", "leaf01", "--yes")
    assert code == 2
    assert err == f"deploy: --limit does not go with a plan; {path} says what it is for\n"


def test_an_interruption_ends_with_130(netcheck: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry.app, "main", interrupt)
    assert netcheck("rules") == (130, "", "interrupted\n")


def test_an_internal_error_ends_with_4_and_a_file_to_report(
    netcheck: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(entry.app, "main", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code, out, err = netcheck("rules")
    [report] = tmp_path.glob("netcheck-crash-*.txt")
    assert (code, out) == (4, "")
    assert "internal error: ZeroDivisionError: by zero" in err
    assert str(report) in err
    assert "Traceback" not in err
    assert "Traceback" in report.read_text("utf-8")


def test_a_comment_in_a_configuration_suppresses_its_rule(netcheck: Run, nic: Path) -> None:
    intent = nic.parent / "one.yaml"
    intent.write_text(INTENT, encoding="utf-8")
    text = "# netcheck: ignore nic-trust-pcp-with-dscp-intent -- replaced next week\n" + NIC
    nic.joinpath("mlnx_qos.txt").write_text(text, encoding="utf-8")
    _, out, _ = netcheck("lint", nic, "--intent", intent, "--format", "json")
    verdicts = {each["rule"]: each["verdict"] for each in json.loads(out)["findings"]}
    assert verdicts["nic-trust-pcp-with-dscp-intent"] == "suppressed"


def test_output_that_nobody_reads_is_no_error() -> None:
    command = f"{sys.executable} -m netcheck.cli rules | head -1"
    ended = subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.stderr == ""


def test_complaints_of_all_intents_are_shown_at_once(netcheck: Run, tmp_path: Path) -> None:
    tmp_path.joinpath("a.yaml").write_text("netcheck: 1\nname: a\nroec: {}\n", encoding="utf-8")
    tmp_path.joinpath("b.yaml").write_text("netcheck: 1\nname: b\nnaem: {}\n", encoding="utf-8")
    code, _, err = netcheck("lint", tmp_path)
    assert code == 2
    assert "a.yaml:3" in err
    assert "b.yaml:3" in err


def test_json_is_printed_where_a_device_gives_no_answer(
    netcheck: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise TransportError("leaf01: no route to host")

    monkeypatch.setattr(entry.app, "main", fail)
    code, out, _ = netcheck("verify", "x.yaml", "--format", "json")
    [finding] = json.loads(out)["findings"]
    assert (code, finding["verdict"]) == (3, "unverified")
    assert finding["message"] == "leaf01: no route to host"


def test_the_first_page_of_help_is_what_click_would_write() -> None:
    with click.Context(entry.app, info_name="netcheck", **entry.app.context_settings) as context:
        context.terminal_width = 80
        assert entry.app.get_help(context) + "\n" == help_page()


@pytest.mark.parametrize("kept", [True, False])
def test_a_process_that_kept_a_fabric_ends_at_once_with_all_its_output(
    nic: Path, *, kept: bool
) -> None:
    code = (
        "import atexit, sys; from netcheck.cli import lint, main;"
        "lint.MANY_DEVICES = 1 if sys.argv.pop(1) == 'True' else 9;"
        "atexit.register(print, 'taken apart', file=sys.stderr);"
        "sys.exit(main.console())"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(kept), "lint", str(nic)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (
        0,
        "clean: no findings on 1 device",
    )
    assert ended.stderr == ("" if kept else "taken apart\n")
