"""Runs on three devices behind a real shell: applied, checked, undone, resumed, refused."""

from __future__ import annotations

import fcntl
from collections.abc import Mapping
from pathlib import Path

import pytest

from netcheck.cli.changes import outcome_notes
from netcheck.deploy.backend import NetmikoBackend
from netcheck.deploy.device import Outcome, State
from netcheck.deploy.engine import Result, deploy, make_plan, recheck, resume, rollback
from netcheck.deploy.journal import Mark, Phase, begin_run, open_runs, runs
from netcheck.deploy.plan import Plan, is_plan, load_plan, save_plan
from netcheck.deploy.recovery import Found, standings
from netcheck.model.errors import InputError
from netcheck.model.fabric import Fabric
from tests.deploy import fake_platform
from tests.deploy.conftest import SECRET
from tests.deploy.fake_platform import AFTER, BEFORE, NAMES, PACE, held_by, path_of

DIRECT = NetmikoBackend(pace=PACE)
RENDERED: Mapping[str, Mapping[str, str]] = {name: {"pfc": AFTER} for name in NAMES}
CHANGED = "unowned line\npfc 3\n"


def yes(plan: Plan) -> bool:
    return bool(plan.batches)


def run(fabric: Fabric, state: Path) -> Result:
    return deploy(make_plan(fabric, RENDERED, pace=PACE), state, DIRECT, confirm=yes)


def all_held() -> list[str]:
    return [held_by(name) for name in NAMES]


def test_every_device_holds_what_was_rendered_and_keeps_the_rest(
    fabric: Fabric, tmp_path: Path
) -> None:
    result = run(fabric, tmp_path / "state")
    assert result.is_ok
    assert result.outcomes == tuple(Outcome(name, State.DONE) for name in NAMES)
    assert all_held() == [CHANGED] * 3
    assert [Path(f"{path_of(name)}.boot").read_text() for name in NAMES] == [CHANGED] * 3


def test_a_second_run_changes_nothing(fabric: Fabric, tmp_path: Path) -> None:
    run(fabric, tmp_path / "state")
    second = run(fabric, tmp_path / "state")
    assert (second.run, second.unchanged, second.is_ok) == ("", NAMES, True)
    assert len(runs(tmp_path / "state", "train")) == 1


def test_hosts_come_before_leaves_and_a_canary_before_all(fabric: Fabric) -> None:
    assert make_plan(fabric, RENDERED, pace=PACE).batches == (("gpu01",), ("gpu02",), ("leaf01",))


def test_without_a_yes_nothing_is_touched(fabric: Fabric, tmp_path: Path) -> None:
    plan = make_plan(fabric, RENDERED, pace=PACE)
    result = deploy(plan, tmp_path / "state", DIRECT, confirm=lambda _: False)
    assert (result.is_declined, result.is_ok, all_held()) == (True, False, [BEFORE] * 3)


def test_a_device_that_refuses_is_brought_back_and_later_batches_wait(
    fabric: Fabric, tmp_path: Path
) -> None:
    path_of("gpu02").write_text(f"refuse\n{BEFORE}")
    result = run(fabric, tmp_path / "state")
    assert [(o.device, o.state) for o in result.outcomes] == [
        ("gpu01", State.DONE),
        ("gpu02", State.UNDONE),
    ]
    assert "status 9" in result.outcomes[1].reason
    assert result.waiting == ("leaf01",)
    assert all_held() == [CHANGED, f"refuse\n{BEFORE}", BEFORE]


def test_a_last_batch_that_is_brought_back_is_not_well(fabric: Fabric, tmp_path: Path) -> None:
    path_of("leaf01").write_text(f"refuse\n{BEFORE}")
    result = run(fabric, tmp_path / "state")
    assert (result.outcomes[-1].state, result.waiting) == (State.UNDONE, ())
    assert not result.is_ok


def test_rollback_brings_every_device_back(fabric: Fabric, tmp_path: Path) -> None:
    run(fabric, tmp_path / "state")
    result = rollback(tmp_path / "state", "train", DIRECT)
    assert [outcome.state for outcome in result.outcomes] == [State.UNDONE] * 3
    assert [outcome.device for outcome in result.outcomes] == list(reversed(NAMES))
    assert result.is_ok
    assert outcome_notes(result) == ("devices: 3 undone", f"run {result.run}")
    assert all_held() == [BEFORE] * 3
    with pytest.raises(InputError, match=f"nothing is left to undo of {result.run}"):
        rollback(tmp_path / "state", "train", DIRECT)


def test_a_run_that_a_later_one_covers_is_not_undone(fabric: Fabric, tmp_path: Path) -> None:
    state = tmp_path / "state"
    first = run(fabric, state)
    other = {name: {"pfc": "pfc 4\n"} for name in NAMES}
    second = deploy(make_plan(fabric, other, pace=PACE), state, DIRECT, confirm=yes)
    with pytest.raises(InputError, match=f"changed by {second.run} since"):
        rollback(state, "train", DIRECT, name=first.run)
    rollback(state, "train", DIRECT)
    assert all_held() == [CHANGED] * 3


def test_an_unknown_run_is_refused_with_those_there_are(fabric: Fabric, tmp_path: Path) -> None:
    done = run(fabric, tmp_path / "state")
    with pytest.raises(InputError, match=f"there are: {done.run}"):
        rollback(tmp_path / "state", "train", DIRECT, name="nope")


def test_a_plan_survives_the_disk(fabric: Fabric, tmp_path: Path) -> None:
    plan = make_plan(fabric, RENDERED, pace=PACE)
    save_plan(plan, tmp_path / "plan.json")
    assert is_plan(tmp_path / "plan.json")
    assert load_plan(tmp_path / "plan.json") == plan
    assert (tmp_path / "plan.json").stat().st_mode & 0o777 == 0o600


def test_a_stored_plan_is_refused_when_a_device_has_moved_on(fabric: Fabric) -> None:
    plan = make_plan(fabric, RENDERED, pace=PACE)
    recheck(plan, pace=PACE)
    path_of("gpu02").write_text("somebody was here\n")
    with pytest.raises(InputError, match="gpu02: no longer holds what the plan saw"):
        recheck(plan, pace=PACE)


def test_a_device_that_moves_on_after_the_plan_is_left_alone(
    fabric: Fabric, tmp_path: Path
) -> None:
    plan = make_plan(fabric, RENDERED, pace=PACE)
    path_of("gpu01").write_text("somebody was here\n")
    result = deploy(plan, tmp_path / "state", DIRECT, confirm=yes)
    assert [(o.device, o.state) for o in result.outcomes] == [("gpu01", State.UNTOUCHED)]
    assert all_held() == ["somebody was here\n", BEFORE, BEFORE]


def test_an_unreachable_device_is_named_and_the_rest_goes_on(
    fabric: Fabric, tmp_path: Path
) -> None:
    path_of("gpu02").unlink()
    result = run(fabric, tmp_path / "state")
    assert "fabric.conf: failed" in result.unreachable["gpu02"]
    assert not result.is_ok
    assert [outcome.device for outcome in result.outcomes] == ["gpu01", "leaf01"]


def test_a_device_that_holds_damage_is_named_and_the_rest_goes_on(
    fabric: Fabric, tmp_path: Path
) -> None:
    path_of("gpu02").write_text("damaged\n")
    result = run(fabric, tmp_path / "state")
    assert result.unreachable == {"gpu02": "gpu02: fabric.conf: damaged"}
    assert [outcome.state for outcome in result.outcomes] == [State.DONE] * 2
    assert not result.is_ok


def test_two_runs_at_once_are_refused(fabric: Fabric, tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    with (state / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another run is at work"):
            run(fabric, state)


def cut_off(fabric: Fabric, state: Path, device: str) -> None:
    """Leave behind what a run leaves that was killed while it changed a device."""
    cut = begin_run(state, make_plan(fabric, RENDERED, pace=PACE), "netmiko")
    cut.note("", Mark.STARTED)
    for phase in (Phase.SAVING, Phase.SAVED, Phase.CHANGING):
        cut.note(device, phase)
    with (cut.folder / "journal.jsonl").open("a") as journal:
        journal.write('{"at": "", "devi')
    Path(f"{path_of(device)}.before").write_text(BEFORE)
    path_of(device).write_text("unowned line\npfc half\n")


def test_a_cut_off_run_is_told_and_taken_over(fabric: Fabric, tmp_path: Path) -> None:
    state = tmp_path / "state"
    cut_off(fabric, state, "gpu01")
    assert [(s.device, s.phase, s.found) for s in standings(state, "train")] == [
        ("gpu01", Phase.CHANGING, Found.BETWEEN),
        ("gpu02", Phase.PLANNED, Found.BEFORE),
        ("leaf01", Phase.PLANNED, Found.BEFORE),
    ]
    result = resume(state, "train", DIRECT, confirm=yes)
    assert (result.is_ok, all_held()) == (True, [CHANGED] * 3)
    assert open_runs(state, "train") == []
    rollback(state, "train", DIRECT)
    assert all_held() == [BEFORE] * 3


def test_what_was_saved_survives_a_second_run_that_does_not_come_to_it(
    fabric: Fabric, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    cut_off(fabric, state, "leaf01")
    path_of("gpu01").write_text(f"refuse\n{BEFORE}")
    second = run(fabric, state)
    assert second.waiting == ("gpu02", "leaf01")
    assert [r.name for r in open_runs(state, "train")] == [second.run]
    path_of("gpu01").write_text(BEFORE)
    assert run(fabric, state).is_ok
    assert all_held() == [CHANGED] * 3
    rollback(state, "train", DIRECT)
    assert all_held() == [BEFORE] * 3


def test_nothing_to_resume_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run of train was cut off"):
        resume(tmp_path, "train", DIRECT, confirm=yes)


def test_no_secret_is_written_anywhere(fabric: Fabric, tmp_path: Path) -> None:
    run(fabric, tmp_path / "state")
    save_plan(make_plan(fabric, RENDERED, pace=PACE), tmp_path / "plan.json")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    leaks = [p for p in files if p.name != "password.right" and SECRET.encode() in p.read_bytes()]
    assert leaks == []


def test_the_state_folder_is_the_users_alone(fabric: Fabric, tmp_path: Path) -> None:
    run(fabric, tmp_path / "state")
    assert fake_platform.root().is_dir()
    runs_ = list((tmp_path / "state" / "runs").iterdir())
    assert [folder.stat().st_mode & 0o777 for folder in runs_] == [0o700]
