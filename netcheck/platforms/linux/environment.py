"""Reads job environments: files, listings, job scripts, command lines and NCCL logs.

Source: NVIDIA NCCL user guide, environment variables (``/etc/nccl.conf`` holds
``NAME=value`` lines); Open MPI ``mpirun -x``; Slurm ``srun --export``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from netcheck.platforms.linux.commands import OWN_BLOCK
from netcheck.platforms.linux.facts import Item, Page, Unread, Variable

NAMES = re.compile(r"(?:NCCL|RCCL|UCX|NVSHMEM|OMPI|MPI|PSM|FI|IBV|MLX5|NIC|HCOLL|SHARP)_[A-Z0-9_]+")
_ASSIGNMENT = re.compile(rf"(?P<name>{NAMES.pattern})=(?P<value>.*)")
_SETTING = re.compile(r"(?:export\s+)?[A-Za-z_]\w*=")
_SET_LOG = re.compile(r"(?P<name>NCCL_[A-Z0-9_]+) set by environment to (?P<value>.+?)\.?$")
# env of a container in a Kubernetes manifest
_POD_NAME = re.compile(rf"- name: ['\"]?(?P<name>{NAMES.pattern})['\"]?")
_POD_VALUE = re.compile(r"value: ['\"]?(?P<value>[^'\"#]*?)['\"]?")
_POD = re.compile(rf"^\s*{_POD_NAME.pattern}\s*\n\s*value:", re.MULTILINE)
_LAUNCHERS = ("mpirun", "mpiexec", "srun", "sbatch", "torchrun", "docker", "kubectl", "env")


def read_environment(page: Page) -> Iterator[Item]:
    """Give the variables that the text sets, the last setting of each."""
    found: dict[str, Variable] = {}
    name_above = ""
    for number, line in _joined(page):
        text = line.strip()
        names = list(assignments(text))
        for name, value, is_job in names:
            found[name] = Variable(name, value, is_job, page.at(number))
        pod = _POD_VALUE.fullmatch(text)
        if pod and name_above:
            found[name_above] = Variable(
                name_above, pod["value"], is_job=True, spot=page.at(number)
            )
        above = _POD_NAME.fullmatch(text)
        name_above = above["name"] if above else ""
        if not (names or pod or above) and text and not text.startswith(("#", "!")):
            yield Unread(page.at(number))
    yield from found.values()


def _joined(page: Page) -> Iterator[tuple[int, str]]:
    """Join lines that end in a backslash, as shells do; the first line's number counts."""
    held, first = "", 0
    for number, line in page.numbered():
        held, first = held + line, first or number
        if held.endswith("\\"):
            held = held[:-1] + " "
            continue
        yield first, held
        held, first = "", 0
    if held:
        yield first, held


def assignments(text: str) -> Iterator[tuple[str, str, bool]]:
    """Give ``(name, value, set by a job)`` of each variable of RDMA jobs that a line sets."""
    log = _SET_LOG.search(text)
    if log:
        yield log["name"], log["value"].strip(), True
        return
    if text.startswith(("#", "!")):
        return
    words = _words(text)
    is_job = _is_job(words)
    for index, word in enumerate(words):
        previous = words[index - 1] if index else ""
        for part in _parts(word, previous):
            match = _ASSIGNMENT.fullmatch(part)
            if match:
                yield match["name"], match["value"].strip().strip("'\""), is_job


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:  # an unclosed quote: take the words as they stand
        return text.split("#", maxsplit=1)[0].split()


def _is_job(words: list[str]) -> bool:
    first = words[0].rsplit("/", 1)[-1] if words else ""
    return first in _LAUNCHERS or "export" in words[:1] or "-x" in words


def _parts(word: str, previous: str) -> list[str]:
    """Split ``--export=ALL,A=1,B=2``; values that hold commas stay whole elsewhere."""
    is_export = word.startswith("--export=") or previous == "--export"
    if not is_export:
        return [word]
    text = word.removeprefix("--export=")
    return re.split(rf",(?={NAMES.pattern}=|\w+=|\w+$)", text)


def is_environment(text: str) -> bool:
    """Whether a text is a list of settings, with variables of RDMA jobs among them.

    At least half of its lines set variables: prose that shows one is not meant.
    """
    lines = [line.strip() for line in text.splitlines()]
    if OWN_BLOCK in lines:
        return True
    said = [line for line in lines if line and not line.startswith("#")]
    if not any(NAMES.search(line) for line in said):
        return False
    setting = sum(1 for line in said if _SETTING.match(line))
    return setting * 2 >= len(said) and any(True for line in said for _ in assignments(line))


def is_job_text(text: str) -> bool:
    """Whether a text is a job's command line, script or log rather than a file of settings."""
    if NAMES.search(text) is None or "```" in text:
        return False
    if _POD.search(text):
        return True
    return any(is_job for line in text.splitlines() for _, _, is_job in assignments(line.strip()))
