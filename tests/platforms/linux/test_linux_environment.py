"""Job environments: files, scripts, command lines and logs."""

import subprocess
from pathlib import Path

import pytest

from netcheck.model.device import Device, HostFacts
from netcheck.model.document import Document, DocumentKind
from netcheck.model.fabric import Fabric
from netcheck.model.frozenmap import FrozenMap
from netcheck.platforms.linux.parse import parse
from netcheck.platforms.linux.recognise import recognise
from netcheck.platforms.linux.render import PROFILE_FILE, render


def environment(*texts: str, command: str = "") -> dict[str, str]:
    documents = [Document(f"job{n}", text, command) for n, text in enumerate(texts)]
    found = parse(documents, name="gpu01").host.environment
    assert isinstance(found, FrozenMap)
    return dict(found)


LOG = """\
node1:7:9 [0] NCCL INFO NCCL_IB_TC set by environment to 106.
node1:7:9 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3.
"""


@pytest.mark.parametrize(
    "text",
    [
        "NCCL_IB_TC=106\nNCCL_IB_GID_INDEX=3\n",
        "# tuned\nNCCL_IB_TC=106   # DSCP 26\nNCCL_IB_GID_INDEX = 3\nNCCL_IB_GID_INDEX=3\n",
        "#!/bin/bash\nexport NCCL_IB_TC=106 NCCL_IB_GID_INDEX=3\nsrun ./train\n",
        "export NCCL_IB_TC='106'\nexport NCCL_IB_GID_INDEX=\"3\"\n",
        "mpirun -np 16 -x NCCL_IB_TC=106 -x NCCL_IB_GID_INDEX=3 ./all_reduce_perf -b 8\n",
        "mpirun \\\n  -x NCCL_IB_TC=106 \\\n  -x NCCL_IB_GID_INDEX=3 \\\n  ./all_reduce_perf\n",
        "srun --export=ALL,NCCL_IB_TC=106,NCCL_IB_GID_INDEX=3 ./train\n",
        LOG,
    ],
)
def test_variables_are_read_from_every_form(text: str) -> None:
    assert environment(text) == {"NCCL_IB_TC": "106", "NCCL_IB_GID_INDEX": "3"}


def test_a_value_with_commas_stays_whole() -> None:
    assert environment("NCCL_IB_HCA=mlx5_0,mlx5_1\n") == {"NCCL_IB_HCA": "mlx5_0,mlx5_1"}


def test_the_last_setting_of_a_file_counts() -> None:
    assert environment("NCCL_IB_TC=0\nNCCL_IB_TC=106\n") == {"NCCL_IB_TC": "106"}


def test_what_a_job_sets_beats_what_a_file_sets() -> None:
    texts = ("NCCL_IB_TC=0\nNCCL_DEBUG=INFO\n", "mpirun -x NCCL_IB_TC=106 ./train\n")
    assert environment(*texts) == {"NCCL_IB_TC": "106", "NCCL_DEBUG": "INFO"}


def test_an_empty_file_of_settings_sets_nothing() -> None:
    assert environment("", command="cat /etc/nccl.conf") == {}


def test_a_variable_has_its_line_as_evidence() -> None:
    found = parse([Document("env.txt", "A=1\nNCCL_IB_TC=106\nNCCL_DEBUG=INFO\n")], name="gpu01")
    evidence = found.find_evidence("device environment", "NCCL_IB_TC")
    assert (evidence.file, evidence.line) == ("env.txt", 2)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("NCCL_IB_GID_INDEX=1\n", DocumentKind.JOB),
        ("mpirun -x NCCL_IB_TC=106 ./train\n", DocumentKind.JOB),
        ("# netcheck begin\nNCCL_IB_TC=106\n# netcheck end\n", DocumentKind.CONFIG),
    ],
)
def test_loose_settings_are_a_jobs_and_ours_are_configuration(
    text: str, kind: DocumentKind
) -> None:
    found = recognise(Document("x", text))
    assert found is not None
    assert found.kind is kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing of interest\n",
        "# Guide\n\nSet the class with NCCL_IB_TC=106, then\nstart the job.\nIt is marked.\n",
        "NCCL_IB_TC: auto\n",
        "A=1\nB=2\n",
    ],
)
def test_prose_and_other_settings_are_not_taken(text: str) -> None:
    assert recognise(Document("x", text)) is None


@pytest.mark.parametrize("value", ["rc,ud", "two words", "~/cache", "{a,b}", "*", ""])
def test_a_shell_takes_a_rendered_value_as_it_is(value: str, tmp_path: Path) -> None:
    host = Device("gpu01", host=HostFacts(environment=FrozenMap({"UCX_TLS": value})))
    text = render(host, Fabric("f"))[PROFILE_FILE]
    (tmp_path / "profile.sh").write_text(text, encoding="utf-8")
    script = '. ./profile.sh; printf %s "$UCX_TLS"'
    ran = subprocess.run(
        ["/bin/sh", "-euc", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (ran.stdout, ran.stderr) == (value, "")
    assert environment(text) == {"UCX_TLS": value}
