"""Hooks for pre-commit, GitHub and GitLab: what they name exists, and what they run works."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from netcheck.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
GUIDE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
NEEDED = {"id", "name", "entry", "language"}


def snippets(kind: str) -> list[Any]:  # Any: what the YAML holds
    """The examples of one kind in the guide."""
    return [
        yaml.safe_load(text) for text in re.findall(rf"```yaml {kind}\n(.*?)```", GUIDE, re.DOTALL)
    ]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_runs_a_command_that_exists(
    hook: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert hook.keys() >= NEEDED
    program, command = hook["entry"].split()
    assert program == "netcheck"
    assert main([command, "--help"]) == 0
    assert "Usage: netcheck lint" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "is_ours"),
    [
        ("intent.yaml", True),
        ("fabric/intent-pod1.yml", True),
        ("pods/a.netcheck.yaml", True),
        ("leaf01/config_db.json", True),
        ("leaf01/running-config.cfg", True),
        ("docs/index.md", False),
        ("package.json", False),
    ],
)
def test_the_hook_for_changed_files_takes_ours_by_their_usual_names(
    name: str,
    is_ours: bool,  # noqa: FBT001 -- parametrised
) -> None:
    pattern = next(hook["files"] for hook in HOOKS if hook["id"] == "netcheck-lint")
    assert bool(re.search(pattern, name)) is is_ours


def test_the_guide_uses_hooks_inputs_and_outputs_that_exist() -> None:
    used = [hook["id"] for text in snippets("pre-commit") for hook in text["repos"][0]["hooks"]]
    assert sorted(used) == sorted(hook["id"] for hook in HOOKS)
    step = next(
        step
        for job in snippets("github")[0]["jobs"].values()
        for step in job["steps"]
        if "netcheck@" in step.get("uses", "")
    )
    assert step["with"].keys() <= ACTION["inputs"].keys()
    rows = re.findall(r"^\| `([\w-]+)` \|", GUIDE, re.MULTILINE)
    assert rows == list(ACTION["inputs"])


def test_the_gitlab_job_keeps_what_it_writes() -> None:
    (job,) = (text["netcheck"] for text in snippets("gitlab"))
    written = set(re.findall(r"--report (\S+)", "\n".join(job["script"])))
    kept = {*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]}
    assert written == kept


def test_every_input_of_the_action_goes_by_the_environment() -> None:
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert scripts
    assert not [script for script in scripts if "${{" in script]


def run_action(folder: Path, **inputs: str) -> tuple[int, str, str]:
    """Run the action's own script as a runner does: exit code, log and outputs."""
    step = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "lint")
    env = {
        name: inputs.get(key, ACTION["inputs"][key].get("default", ""))
        for name, key in (
            (name, re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", r"\1", value))
            for name, value in step["env"].items()
        )
    }
    output = folder / "output"
    output.touch()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],  # noqa: S607 -- as a runner
        env={**env, "PATH": path, "GITHUB_OUTPUT": str(output), "HOME": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, output.read_text(encoding="utf-8")


def test_the_action_annotates_and_tells_its_exit_code(tmp_path: Path) -> None:
    (tmp_path / "my intent.yaml").write_text("netcheck: 1\nroce: {polices: {}}\n", encoding="utf-8")
    code, log, output = run_action(tmp_path, paths="my intent.yaml\n")
    assert code == 2
    assert log.startswith("::error file=my intent.yaml,line=2,col=8,title=input-invalid::")
    assert output == "exit-code=2\n"


def test_the_action_judges_several_paths_and_writes_the_report(tmp_path: Path) -> None:
    small = ROOT / "examples" / "lab-small.yaml"
    paths = f"{small}\n\n{ROOT / 'examples' / 'lab.yaml'}\n"
    code, log, output = run_action(tmp_path, paths=paths, report="out/netcheck.html")
    assert (code, output) == (0, "exit-code=0\n")
    assert "clean: no findings on" in log
    assert "<!DOCTYPE html>" in (tmp_path / "out" / "netcheck.html").read_text(encoding="utf-8")


def test_nothing_in_an_input_is_run(tmp_path: Path) -> None:
    code, _, _ = run_action(tmp_path, paths='$(touch hurt) "; touch hurt; "\n-h')
    assert code == 2
    assert not (tmp_path / "hurt").exists()
