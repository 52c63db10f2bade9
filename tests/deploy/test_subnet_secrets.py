"""Keys of a subnet on their way to a manager's host: in its file, and nowhere else."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from netcheck.cli.main import main
from netcheck.collect import collector
from netcheck.collect.secrets import secret_behind, secret_server
from netcheck.collect.session import Output
from netcheck.collect.target import Target
from netcheck.deploy import ansible as by_ansible
from netcheck.deploy import device as deploy_device
from netcheck.deploy import holding
from netcheck.deploy.backend import NetmikoBackend
from netcheck.deploy.engine import deploy, make_plan, rollback
from netcheck.deploy.journal import begin_run
from netcheck.deploy.plan import Plan, save_plan
from netcheck.model.errors import InputError
from netcheck.model.fabric import Credentials, Fabric
from netcheck.model.finding import ExitCode
from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms.opensm.render import render
from tests.platforms.opensm.opensm_subnets import BASE, fabric_of

M_KEY, SM_KEY, OTHER = "0x5ec2e7000000aaaa", "6829412786543210", "0x5ec2e7000000bbbb"
# however a value is written: as it was said, as OpenSM takes it, in the other base
FORMS = {
    text
    for value in (M_KEY, SM_KEY, OTHER)
    for text in (value, value.removeprefix("0x"), str(int(value, 0)), f"{int(value, 0):016x}")
}
CONF = "/etc/opensm/opensm.conf"


@dataclass
class Host:
    """The host of a subnet manager, as far as files and exit statuses go."""

    files: dict[str, str] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)
    saved: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def run(self, line: str, timeout: float = 0) -> Output:
        assert timeout > 0
        self.lines.append(line)
        words = line.split()
        if words[:2] == ["sudo", "cat"]:
            text = self.files.get(words[2])
            return Output("no such file", 1) if text is None else Output(text, 0)
        if line.startswith("sudo cp -a /etc/opensm /"):
            self.saved = dict(self.files)
        elif words[:3] == ["sudo", "cp", "-a"]:
            self.files[words[4]] = self.saved[words[4]]
        elif words[:3] == ["sudo", "rm", "-f"]:
            self.files.pop(words[3], None)
        return Output("", 0)

    def run_each(self, lines: list[str], timeout: float) -> Iterator[Output]:
        yield from (self.run(line, timeout) for line in lines)

    def upload(self, path: str, text: str, mode: int) -> None:
        self.files[path], self.modes[path] = text, mode


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    made = Host()

    @contextmanager
    def connect(target: Target, *, deadline_s: float) -> Iterator[Host]:
        assert target.device == "gpu01"
        assert deadline_s > 0
        yield made

    for module in (collector, deploy_device, holding):
        monkeypatch.setattr(module, "Session", connect)
    monkeypatch.setenv("M_KEY", M_KEY)
    monkeypatch.setenv("SM_KEY", SM_KEY)
    monkeypatch.setenv("NETCHECK_PASSWORD", "x")
    return made


def fabric() -> Fabric:
    subnet = replace(BASE, m_key="env:M_KEY", sm_key="env:SM_KEY", m_key_lease_s=60)
    whole = fabric_of(subnet)
    device = replace(whole.devices["gpu01"], platform="opensm", mgmt="192.0.2.1", credentials="lab")
    login = Credentials("lab", "admin", password="env:NETCHECK_PASSWORD")
    devices = whole.devices.with_items({"gpu01": device})
    return replace(whole, devices=devices, credentials=FrozenMap({"lab": login}))


def planned() -> Plan:
    whole = fabric()
    rendered = {"gpu01": render(whole.devices["gpu01"], whole)}
    return make_plan(whole, rendered, devices=["gpu01"])


def shown(folder: Path) -> str:
    """Everything that was written below a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return "\n".join(path.read_text("utf-8", "replace") for path in files)


def assert_silent(text: str) -> None:
    assert [form for form in FORMS if form in text] == []


def run(folder: Path, plan: Plan) -> bool:
    save_plan(plan, folder / "plan.json")
    return deploy(plan, folder / "state", NetmikoBackend(), confirm=lambda _: True).is_ok


def test_keys_are_in_the_file_for_root_alone_and_nowhere_else(
    host: Host, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert run(tmp_path, planned())
    lines = host.files[CONF].splitlines()
    assert f"m_key {M_KEY}" in lines
    assert f"sm_key {int(SM_KEY):#018x}" in lines
    assert host.modes[CONF] == 0o600
    told = shown(tmp_path) + caplog.text + "\n".join(host.lines)
    assert "secret:env:M_KEY" in told
    assert_silent(told)


def test_a_second_plan_finds_nothing_to_do(host: Host, tmp_path: Path) -> None:
    run(tmp_path, planned())
    assert planned().is_empty
    assert CONF in host.files


def test_another_key_on_the_host_is_a_change_that_does_not_tell_it(
    host: Host, tmp_path: Path
) -> None:
    run(tmp_path, planned())
    host.files[CONF] = host.files[CONF].replace(M_KEY, OTHER)
    plan = planned()
    objects = plan.orders["gpu01"].change.objects
    assert [one for one in objects if one[1] or one[2]] == [
        ("opensm.conf m_key", "secret:another", "secret:env:M_KEY")
    ]
    assert run(tmp_path, plan)
    assert f"m_key {M_KEY}" in host.files[CONF]
    assert_silent(shown(tmp_path))


def test_the_way_back_restores_the_key_that_was_there(host: Host, tmp_path: Path) -> None:
    host.files[CONF] = f"m_key {OTHER}\n"
    assert run(tmp_path, planned())
    result = rollback(tmp_path / "state", "f", NetmikoBackend())
    assert result.is_ok
    assert host.files[CONF] == f"m_key {OTHER}\n"
    assert_silent(shown(tmp_path))


def test_a_key_that_is_not_to_be_had_leaves_the_host_out(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.files[CONF] = f"m_key {OTHER}\n"
    monkeypatch.delenv("M_KEY")
    plan = planned()
    assert plan.unreachable == {"gpu01": "gpu01: environment variable M_KEY is not set"}


def test_a_snapshot_holds_no_key(host: Host, tmp_path: Path) -> None:
    host.files[CONF] = f"m_key {M_KEY}\nsm_key {SM_KEY}\nlmc 1\n"
    collector.collect(fabric(), tmp_path, devices=["gpu01"])
    told = shown(tmp_path)
    assert "m_key ***\nsm_key ***\nlmc 1" in told
    assert_silent(told)


FILES = {
    "opensm.conf": "".join(
        f"{line}\n"
        for line in (
            f"m_key {M_KEY}",
            f"m_key {OTHER}",
            f"sm_key {SM_KEY}x",
            f"sa_key {OTHER}",
            f"mkey {M_KEY}",
        )
    ),
    "intent.yaml": f"""
netcheck: 1
name: x
infiniband:
  subnets:
    s: {{m_key: "{M_KEY}", sm_key: {SM_KEY}, options: {{sa_key: "{OTHER}"}}}}
""",
}


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "github", "html", "csv"])
@pytest.mark.parametrize("file", FILES)
def test_no_report_shows_a_key_of_a_file_or_an_intent(
    file: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / file).write_text(FILES[file], encoding="utf-8")
    code = main(["lint", str(tmp_path / file), "--format", form])
    told = capsys.readouterr()
    assert code == (ExitCode.BAD_INPUT if file == "intent.yaml" else ExitCode.FINDINGS)
    assert_silent(told.out + told.err)


def test_a_key_as_a_plain_value_is_refused_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "intent.yaml").write_text(FILES["intent.yaml"], encoding="utf-8")
    assert main(["lint", str(tmp_path / "intent.yaml")]) == ExitCode.BAD_INPUT
    told = capsys.readouterr().err
    for key in ("m_key", "sm_key", "options.sa_key"):
        assert f"{key}: expected a reference" in told


@pytest.mark.usefixtures("host")
def test_by_ansible_keys_are_served_with_the_logins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[str] = []

    @contextmanager
    def server(references: list[str]) -> Iterator[Path]:
        served.extend(references)
        with secret_server(references) as address:
            assert secret_behind("gpu01", address)("env:M_KEY") == M_KEY
            with pytest.raises(InputError, match="not served by this run"):
                secret_behind("gpu01", address)("env:HOME")
        raise InputError("enough")
        yield Path()

    monkeypatch.setattr(by_ansible, "secret_server", server)
    run_ = begin_run(tmp_path / "state", planned(), "ansible")
    with pytest.raises(InputError, match="enough"):
        by_ansible.AnsibleBackend().apply(run_, ["gpu01"])
    assert served == ["env:NETCHECK_PASSWORD", "", "env:M_KEY", "env:SM_KEY"]
