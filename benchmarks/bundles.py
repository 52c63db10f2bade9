"""Parse everything that was collected of one device: a switch of 64 ports a platform, and a host.

They are brought up in the embedded lab, configured, and read twice. ``idle`` texts
are as the lab gives them, most counters zero; of ``busy`` ones every zero of a
counter is a number of its own. ``python -m benchmarks.bundles``.
"""

from __future__ import annotations

import gc
import random
import re
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from benchmarks.results import machine, put
from benchmarks.snapshot import FOLDER as SNAPSHOTS
from benchmarks.snapshot import HEAD
from netcheck import api
from netcheck.chain import ChainOptions, Part, lab_for, run_chain
from netcheck.collect.assemble import CONFIGURED, LIVE
from netcheck.collect.collector import collect
from netcheck.collect.snapshot import Answer, Record, read_snapshot
from netcheck.collect.stored import StoredDocuments
from netcheck.model.document import Document, DocumentKind
from netcheck.model.finding import Basis
from netcheck.platforms.platform import load

FOLDER = SNAPSHOTS.parent / "bundles"
PORTS, HOSTS, RUNS, SEED = 64, 16, 9, 7
SWITCHES = {
    "sonic": ("SN5600", "Ethernet[0-504:8]", "Ethernet{at8}", 4),
    "cumulus": ("SN5600", "swp[1-64]", "swp{number}", 4),
    "eos": ("DCS-7060X6-64PE", "Ethernet[1-64]/1", "Ethernet{number}/1", 4),
    "nxos": ("N9K-C9364D-GX2A", "Ethernet1/[1-64]", "Ethernet1/{number}", 8),
}
HOST = """  "gpu[01-16]":
    role: host
    mgmt: "198.18.0.[101-116]"
    rdma:
      "mlx5_[0-3]":
        {port: "rail[0-3]", driver: mlx5, speed: 400G, address: "10.0.[0-3].[1-16]/16"}
links:
  - {csv: links.csv}
"""
# the one timer pair that all four take
TIMERS = ("detection: 200ms, restoration: 400ms", "detection: 400ms, restoration: 200ms")
ZERO = re.compile(r"(?<=[: ])0(?=\n|,|\}|$)")


def intent() -> str:
    """YAML of the fabric."""
    text = HEAD.replace(*TIMERS)
    for number, (platform, (model, ports, _, lanes)) in enumerate(SWITCHES.items(), 1):
        text += (
            f"  {platform}1:\n    role: leaf\n    platform: {platform}\n    model: {model}\n"
            f"    mgmt: 198.18.0.{number}\n    ports:\n"
            f'      "{ports}": {{speed: 400G, lanes: {lanes}}}\n'
        )
    return text + HOST


def cabling() -> str:
    """CSV of the links: the first ports to hosts, the others from switch to switch."""
    names = [*SWITCHES]

    def port(platform: str, number: int) -> str:
        name = SWITCHES[platform][2].format(number=number + 1, at8=8 * number)
        return f"{platform}1,{name}"

    rows = ["a_device,a_port,b_device,b_port,cable"]
    for host in range(HOSTS):
        rows += [f"gpu{host + 1:02d},rail{n},{port(name, host)},5m" for n, name in enumerate(names)]
    for number in range(HOSTS, PORTS):
        for near, far in (names[:2], names[2:]):
            rows.append(f"{port(near, number)},{port(far, number)},40m")
    return "\n".join(rows) + "\n"


def collected() -> None:
    """Bring the fabric up in the lab, configure it, and read it twice."""
    if (FOLDER / "done").exists():
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    (FOLDER / "links.csv").write_text(cabling())
    (FOLDER / "intent.yaml").write_text(intent())
    fabric = api.complete(api.load_intent(FOLDER / "intent.yaml", deployable=True))
    with lab_for(fabric, FOLDER / "lab", ()) as (reached, inject):
        parts = (Part.LINT, Part.RENDER, Part.DEPLOY)
        options = ChainOptions(
            state=FOLDER / "state", parts=parts, basis=Basis.SIMULATED, after_deploy=inject
        )
        run_chain(reached, options, lambda _place, _what: None)
        collect(reached, FOLDER / "snapshot")
        collect(reached, FOLDER / "snapshot", kinds={DocumentKind.COUNTERS}, reading=1)
    (FOLDER / "done").touch()


def bundles() -> dict[str, list[list[Document]]]:
    """Shape: ``platform -> texts that are parsed together, for each call of the parser``."""
    folder = FOLDER / "snapshot"
    snapshot = read_snapshot(folder)
    records: dict[str, list[Record]] = {}
    for record in snapshot.records:
        if record.answer is Answer.HAD:
            records.setdefault(record.device, []).append(record)
    found: dict[str, list[list[Document]]] = {}
    for member in snapshot.members:
        if member.platform not in found:
            stored = StoredDocuments(
                member.name, member.platform, folder=folder, records=tuple(records[member.name])
            )
            given = stored.loaded()
            found[member.platform] = [[*given.of(CONFIGURED)], [*given.of(LIVE)]]
    return found


def busy(documents: Sequence[Document], dice: random.Random) -> list[Document]:
    """The same texts with a number of its own in place of each zero that may count something."""

    def number(_: re.Match[str]) -> str:
        return str(dice.choice((0, dice.randrange(10**3), dice.randrange(10**9))))

    words = ("counters", "-S", "-s link", "pfc-watchdog", "statistic")
    return [
        replace(one, text=ZERO.sub(number, one.text))
        if any(word in one.command for word in words)
        else one
        for one in documents
    ]


def least_s(work: Callable[[], object]) -> float:
    """Processor time of the fastest run, with the collector off."""
    work()
    times = []
    for _ in range(RUNS):
        gc.collect()
        gc.disable()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
        gc.enable()
    return min(times)


def main() -> None:
    collected()
    dice = random.Random(SEED)  # noqa: S311 -- the same numbers each time
    lines = [
        f"{machine()}. Least of {RUNS} runs, processor time.",
        "Configuration, and one reading of all outputs.",
        "",
        "| platform | kB | idle ms | idle MB/s | busy ms | busy MB/s |",
        "|---|---|---|---|---|---|",
    ]
    for platform, calls in bundles().items():
        parse = load(platform).parsing.parse
        cells = []
        for texts in (calls, [busy(one, dice) for one in calls]):
            size = sum(len(each.text.encode()) for one in texts for each in one)
            took = sum(least_s(partial(parse, one, name="device")) for one in texts)
            cells += [f"{took * 1e3:.1f} | {size / took / 1e6:.1f}"]
            kilobytes = size / 1e3
        lines.append(f"| {platform} | {kilobytes:.0f} | {' | '.join(cells)} |")
    put("bundles of one device", lines)


if __name__ == "__main__":
    main()
