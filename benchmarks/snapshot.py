"""Verify a snapshot of 1,000 switches and 2,700 hosts, and how time grows with size.

One pod of 10 switches and 27 hosts is brought up in the embedded lab,
configured and collected twice; the others are its outputs with other names and
addresses. One host of the last pod has its NICs' trust changed in the texts, and
nothing else may be found. ``python -m benchmarks.snapshot [PODS ...]``.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.results import machine, put
from netcheck import api
from netcheck.chain import ChainOptions, Part, lab_for, run_chain
from netcheck.collect.collector import collect
from netcheck.model.document import DocumentKind
from netcheck.model.finding import Basis

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(os.environ.get("NETCHECK_BENCH_DIR", "/var/tmp/netcheck-bench")) / "snapshot"  # noqa: S108 -- made and read by this file only
LEAVES, HOSTS, RAILS, PORTS = 9, 27, 4, 12
PODS = (25, 50, 100)
HEAD = """netcheck: 1
name: pods
roce:
  policy: backend
  policies:
    backend:
      trust: dscp
      l2_mtu: 9216B
      dcbx: disabled
      watchdog: {detection: 200ms, restoration: 400ms, action: drop}
      classes:
        rdma: {dscp: [26], priority: 3, delivery: lossless, bandwidth: 50%, ecn: auto}
        cnp: {dscp: [48], priority: 6, carries: cnp, scheduling: strict}
        default: {priority: 0, bandwidth: 50%}
credentials:
  lab: {username: admin, password: "env:NETCHECK_PASSWORD"}
roles:
  spine: {platform: sonic, model: SN5600, credentials: lab}
  leaf: {platform: sonic, model: SN5600, credentials: lab}
  host: {platform: linux, credentials: lab}
devices:
"""
POD = """
  "p{pod:03d}spine1":
    role: spine
    mgmt: "198.18.{pod}.1"
    ports:
      "Ethernet[0-280:8]": {{speed: 400G, lanes: 4}}
  "p{pod:03d}leaf[1-9]":
    role: leaf
    mgmt: "198.18.{pod}.[11-19]"
    ports:
      "Ethernet[0-120:8]": {{speed: 400G, lanes: 4}}
  "p{pod:03d}gpu[01-27]":
    role: host
    mgmt: "198.18.{pod}.[101-127]"
    rdma:
      "mlx5_[0-3]":
        {{port: "rail[0-3]", driver: mlx5, speed: 400G, address: "10.{pod}.[0-3].[1-27]/16"}}
"""


def intent(pods: int) -> str:
    """YAML of a fabric of that many pods; links come from a cabling plan beside it."""
    return (
        HEAD
        + "".join(POD.format(pod=pod) for pod in range(pods))
        + "links:\n  - {csv: links.csv}\n"
    )


def cabling(pods: int) -> str:
    """CSV of all links: hosts to leaves in order, four uplinks a leaf."""
    rows = ["a_device,a_port,b_device,b_port,cable"]
    for pod in range(pods):
        name = f"p{pod:03d}"
        for place in range(HOSTS * RAILS):
            host, rail = divmod(place, RAILS)
            leaf, port = divmod(place, PORTS)
            rows.append(
                f"{name}gpu{host + 1:02d},rail{rail},{name}leaf{leaf + 1},Ethernet{port * 8},5m"
            )
        for place in range(LEAVES * 4):
            leaf, port = divmod(place, 4)
            near = f"{name}leaf{leaf + 1},Ethernet{(PORTS + port) * 8}"
            rows.append(f"{near},{name}spine1,Ethernet{place * 8},40m")
    return "\n".join(rows) + "\n"


def write_intent(folder: Path, pods: int) -> Path:
    """Write intent and cabling plan; give the intent's path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "links.csv").write_text(cabling(pods))
    path = folder / "intent.yaml"
    path.write_text(intent(pods))
    return path


def one_pod(folder: Path) -> Path:
    """Bring pod 0 up in the lab, configure it, read it twice; give its snapshot."""
    done = folder / "snapshot"
    if (folder / "done").exists():
        return done
    fabric = api.complete(api.load_intent(write_intent(folder, 1), deployable=True))
    with lab_for(fabric, folder / "lab", ()) as (reached, inject):
        parts = (Part.LINT, Part.RENDER, Part.DEPLOY)
        options = ChainOptions(
            state=folder / "state", parts=parts, basis=Basis.SIMULATED, after_deploy=inject
        )
        run_chain(reached, options, lambda _place, _what: None)
        collect(reached, done)
        collect(reached, done, kinds={DocumentKind.COUNTERS}, reading=1)
    (folder / "done").touch()
    return done


def renamed(text: str, pod: int) -> str:
    """A text of pod 0 as the same device of another pod would print it."""
    text = text.replace("p000", f"p{pod:03d}")
    text = re.sub(r"\b10\.0\.", f"10.{pod}.", text)
    return text.replace("ffff:0a00:", f"ffff:0a{pod:02x}:")


def cloned(source: Path, target: Path, pods: int) -> int:
    """Write the snapshot of that many pods; give its bytes."""
    manifest: dict[str, Any] = json.loads((source / "manifest.json").read_text())
    whole: dict[str, Any] = {**manifest, "devices": [], "records": []}
    size = 0
    for pod in range(pods):
        whole["devices"] += json.loads(renamed(json.dumps(manifest["devices"]), pod))
        whole["records"] += json.loads(renamed(json.dumps(manifest["records"]), pod))
    texts = [
        (path.relative_to(source), path.read_text())
        for path in source.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    ]
    for pod in range(pods):
        for relative, text in texts:
            path = target / renamed(str(relative), pod)
            path.parent.mkdir(parents=True, exist_ok=True)
            content = renamed(text, pod)
            if pod == pods - 1 and "gpu27/mlnx_qos" in str(relative):
                content = content.replace("trust state: dscp", "trust state: pcp")
            size += path.write_text(content)
    (target / "manifest.json").write_text(json.dumps(whole))
    return size


def measured(pods: int, source: Path) -> str:
    """One row: devices, bytes, seconds, memory, and what was found."""
    folder = FOLDER / f"pods-{pods}"
    path, snapshot = write_intent(folder, pods), folder / "snapshot"
    size = cloned(source, snapshot, pods)
    command = [
        str(Path(sys.executable).with_name("netcheck")),
        *("verify", str(path), "--snapshot", str(snapshot), "--format", "json"),
    ]
    start, used = time.perf_counter(), os.times()
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    wall, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system - used.children_user - used.children_system
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024**2
    findings = json.loads(done.stdout)["findings"] if done.returncode in {0, 1, 3} else []
    failed = {
        place["device"] for one in findings if one["verdict"] == "fail" for place in one["where"]
    }
    open_ = sum(one["verdict"] == "unverified" for one in findings)
    return (
        f"| {pods * 10:,} | {pods * HOSTS:,} | {size / 1e6:.0f} MB | {wall:.1f} s | {cpu:.1f} s "
        f"| {peak:.2f} GiB | exit {done.returncode}; {', '.join(sorted(failed)) or 'nothing'}; "
        f"{open_} unverified |"
    )


def main() -> None:
    """Measure every size that was asked for."""
    source = one_pod(FOLDER / "pod")
    rows = [measured(pods, source) for pods in [int(word) for word in sys.argv[1:]] or PODS]
    put(
        "Verify a snapshot (`python -m benchmarks.snapshot`)",
        (
            "`netcheck verify intent.yaml --snapshot SNAPSHOT --format json`.",
            f"Machine: {machine()}.",
            "",
            "| switches | hosts | texts | wall | CPU | peak memory of a process | found |",
            "|---|---|---|---|---|---|---|",
            *rows,
        ),
    )


if __name__ == "__main__":
    main()
