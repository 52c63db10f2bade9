"""One OpenSM on a simulated fabric: its files made private, started, watched, reloaded, killed."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from netcheck.lab.opensm import process
from netcheck.lab.opensm.process import Kept, wait_until
from netcheck.lab.opensm.tools import Tools
from netcheck.model.errors import TransportError

CONF = "opensm.conf"
LOG = "opensm.log"
STARTED_LINE = "OpenSM 3."
UP_LINE = "SUBNET UP"
STATE = re.compile(r"Entering (\w+) state")
ENGINE = re.compile(r"osm_ucast_mgr_process: (\S+) tables configured on all switches")
RELOADED = re.compile(r"Reading Cached Option File")
# As the master's death is noticed after polling_retry_number polls; the defaults take 40 s.
SHORT_TIMERS = {"sminfo_polling_timeout": "250", "polling_retry_number": "3"}
PRIVATE = {
    "force_log_flush": "TRUE",
    "accum_log_file": "TRUE",
    "log_max_size": "0",
    "console": "off",
    "daemon": "FALSE",
}
# What it does not get over by itself: a GUID that is there twice, a port that it cannot bind to.
FATAL = re.compile(r"ERR 0D01|Error from osm_opensm_bind|osm_opensm_bind: ERR")
ERROR = re.compile(r"(?<=-> )\w+: ERR .*(?:\n(?![A-Z][a-z]{2} \d).*)*")
# What OpenSM reads unless told: on its host the files that are pushed there; those of this
# machine are of another subnet.
# Source: opensm -c.
USUAL_FOLDER = Path("/etc/opensm")
USUAL_FILES = {
    "partition_config_file": "partitions.conf",
    "qos_policy_file": "qos-policy.conf",
    "prefix_routes_file": "prefix-routes.conf",
    "per_module_logging_file": "per-module-logging.conf",
    "torus_config": "torus-2QoS.conf",
}
POLL_S = 0.02


def private_conf(
    text: str, files: Mapping[str, Path], folder: Path, extra: Mapping[str, str]
) -> str:
    """A configuration with what belongs to one host replaced; OpenSM takes the last of equal keys.

    Args:
        text: The configuration as it is to be pushed; it stays as it is, lines follow it.
        files: Shape: ``base name -> private copy``, of the files it may refer to.
        extra: Keys that are set besides.
    """
    told = [line.split("#", 1)[0].split() for line in text.splitlines()]
    said = {words[0] for words in told if words}
    usual = {
        key: str(files.get(name, folder / name))
        for key, name in USUAL_FILES.items()
        if key not in said and (name in files or (USUAL_FOLDER / name).exists())
    }
    own = {**PRIVATE, **usual, "log_file": str(folder / LOG), "dump_files_dir": f"{folder}/"}
    for words in told:
        if len(words) > 1 and words[1].startswith("/") and Path(words[1]).name in files:
            own.setdefault(words[0], str(files[Path(words[1]).name]))
    lines = [f"{key} {value}" for key, value in {**own, **extra}.items()]
    return "\n".join([text.rstrip("\n"), "", "# set for the rehearsal alone", *lines, ""])


@dataclass
class Manager:
    """A running subnet manager.

    Attributes:
        node: Node of the network file it is attached to.
        folder: Its configuration, log and dumps.
        extra: Keys that the rehearsal sets besides those of the configuration.
    """

    name: str
    node: str
    kept: Kept
    folder: Path
    extra: Mapping[str, str]
    seen: int = 0

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.kept.pid

    @property
    def is_running(self) -> bool:
        """Whether its process runs."""
        return self.kept.is_running

    def log(self, since: int = 0) -> str:
        """Its log from a position in bytes on."""
        path = self.folder / LOG
        if not path.exists():
            return ""
        with path.open("rb") as file:
            file.seek(since)
            return file.read().decode("utf-8", "replace")

    def mark(self) -> int:
        """The log's end: what is waited for next has to come after it."""
        path = self.folder / LOG
        self.seen = path.stat().st_size if path.exists() else 0
        return self.seen

    def wait_up(self, timeout_s: float) -> float:
        """Wait for SUBNET UP after the last ``mark``; give the seconds it took.

        Raises:
            TransportError: It did not come; the message carries the log's errors.
        """
        began = time.monotonic()

        def is_decided() -> bool:
            log = self.log(self.seen)
            return UP_LINE in log or bool(FATAL.search(log)) or not self.is_running

        wait_until(is_decided, timeout_s, POLL_S)
        if UP_LINE not in self.log(self.seen):
            raise TransportError(self._why_not(time.monotonic() - began))
        return time.monotonic() - began

    def _why_not(self, waited_s: float) -> str:
        what = f"no SUBNET UP within {waited_s:.0f} s" if self.is_running else "OpenSM has ended"
        log = self.log(self.seen) or self.log()
        errors = [found.group().strip() for found in ERROR.finditer(log)]
        printed = self.kept.output().strip().splitlines() or ["no output"]
        told = next((one for one in errors if FATAL.search(one)), (errors or printed)[-1])
        return f"{self.name}: {what}: {' '.join(told.split())}"

    def wait_state(self, state: str, timeout_s: float) -> float:
        """Wait until the last state it entered (MASTER, STANDBY) is this; give the seconds.

        Raises:
            TransportError: It did not enter it.
        """
        began = time.monotonic()
        if not wait_until(lambda: self.state() == state, timeout_s, POLL_S):
            raise TransportError(
                f"{self.name}: expected {state} within {timeout_s:g} s, found {self.state()}"
            )
        return time.monotonic() - began

    def wait_quiet(self, quiet_s: float, timeout_s: float) -> bool:
        """Wait until its log has not grown for a while: no sweep is under way."""
        last, since = -1, time.monotonic()

        def is_quiet() -> bool:
            nonlocal last, since
            path = self.folder / LOG
            size = path.stat().st_size if path.exists() else 0
            if size != last:
                last, since = size, time.monotonic()
            return time.monotonic() - since >= quiet_s

        return wait_until(is_quiet, timeout_s, POLL_S)

    def state(self) -> str:
        """The last state it says it entered; empty where it said none."""
        found = STATE.findall(self.log())
        return found[-1] if found else ""

    def engines(self) -> list[str]:
        """Routing engines that configured the switches, one for each time it routed."""
        return ENGINE.findall(self.log())

    def reload(self, timeout_s: float) -> float:
        """Have it read its files again (SIGHUP); give the seconds until the subnet is up.

        Raises:
            TransportError: The subnet did not come up again.
        """
        self.mark()
        self.kept.signal(signal.SIGHUP)
        return self.wait_up(timeout_s)

    def kill(self) -> None:
        """End it as a crash would: no word to the standby."""
        self.kept.signal(signal.SIGKILL)
        self.kept.end()


def write_files(
    files: Mapping[str, str], folder: Path, extra: Mapping[str, str]
) -> dict[str, Path]:
    """Write a manager's files with private paths in them. Shape: ``base name -> path``."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    paths = {Path(name).name: folder / Path(name).name for name in files}
    for name, text in files.items():
        base = Path(name).name
        whole = private_conf(text, paths, folder, extra) if base == CONF else text
        _write(paths[base], whole)
    if CONF not in paths:
        paths[CONF] = folder / CONF
        _write(paths[CONF], private_conf("", paths, folder, extra))
    return paths


def _write(path: Path, text: str) -> None:
    """Write a file for its owner alone: keys may stand in it."""
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")


def start(
    tools: Tools,
    name: str,
    node: str,
    folder: Path,
    environment: Mapping[str, str],
    extra: Mapping[str, str],
) -> Manager:
    """Start OpenSM at a node, on files that ``write_files`` wrote.

    Raises:
        TransportError: It cannot be started.
    """
    private = {
        **environment,
        "LD_PRELOAD": tools.preload,
        "SIM_HOST": node,
        "OSM_TMP_DIR": str(folder),
        "OSM_CACHE_DIR": str(folder),
    }
    kept = process.start(
        [tools.opensm, "-F", str(folder / CONF)],
        log=folder / "stdout",
        folder=folder,
        environment=private,
    )
    return Manager(name, node, kept, folder, extra)
