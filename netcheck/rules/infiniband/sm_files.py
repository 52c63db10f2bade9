"""Files of a subnet manager together: what is missing, left over, or of another fabric."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from netcheck.model.finding import Severity
from netcheck.model.known import is_known
from netcheck.model.view import FabricView
from netcheck.rules.infiniband.managers import OPENSM, Manager, managers
from netcheck.rules.rule import Fault, Scope, rule

# What OpenSM does without the file; measured on 3.3.23.
INSTEAD: Final = {
    "partition_config_file": "every port is full member of the default partition",
    "qos_policy_file": "there is no policy, and every path gets SL 0",
    "root_guid_file": "roots are guessed",
    "cn_guid_file": "every adapter counts as a compute node",
    "io_guid_file": "no node counts as an I/O node",
    "ids_guid_file": "GUIDs are not translated",
    "guid_routing_order_file": "routes are made in the order of discovery",
    "lfts_file": "there are no tables to load",
    "torus_config": "torus-2QoS cannot route, and minhop does",
}
DEFAULTS: Final = {
    "partition_config_file": "/etc/opensm/partitions.conf",
    "qos_policy_file": "/etc/opensm/qos-policy.conf",
    "torus_config": "/etc/opensm/torus-2QoS.conf",
}
FOLDERS: Final = {
    "log_file": "OpenSM does not start (exit status 42)",
    "dump_files_dir": "nothing is dumped",
}
# Source: Filesystem Hierarchy Standard 3.0, chapter 3, and what Linux adds to it.
_STANDARD: Final = (
    "bin boot dev etc home lib lib64 media mnt opt proc root run sbin srv sys tmp usr var"
)
TOP_FOLDERS: Final = frozenset((*_STANDARD.split(), "data", "scratch", "shared", "usr", "var"))


@rule(
    "sm-file-missing", severity=Severity.WARNING, scope=Scope.FABRIC, source=OPENSM, is_proof=False
)
def sm_file_missing(fabric: FabricView) -> Iterator[Fault]:
    """A file or folder that opensm.conf names is not there, as far as was given.

    Why: OpenSM goes on without it and does something else; only a missing folder of the log
        keeps it from starting.
    Bad: root_guid_file /nonexistent; a file that the given folder lacks.
    Good: every file that is named lies beside opensm.conf.
    Fix: put the file there, or correct the name.
    """
    for manager in managers(fabric):
        for key, effect in INSTEAD.items():
            path = manager.value(key)
            if path and path != DEFAULTS.get(key) and _is_missed(manager, path):
                yield _missing(manager, key, path, effect)
        for key, effect in FOLDERS.items():
            path = manager.value(key)
            if path and _is_nowhere(path):
                yield _missing(manager, key, path, effect)


def _is_missed(manager: Manager, path: str) -> bool:
    name = path.rpartition("/")[2]
    if name in manager.config.files:
        return False
    return len(manager.config.files) > 1 or _is_nowhere(path)


def _is_nowhere(path: str) -> bool:
    """An absolute path below a top folder that no Linux has."""
    top = path.split("/")[1] if path.startswith("/") else ""
    return bool(top) and top not in TOP_FOLDERS


def _missing(manager: Manager, key: str, path: str, effect: str) -> Fault:
    return manager.fault(
        key, expected="a file that is there", found=path, effect=effect, at=manager.at(key)
    )


@rule(
    "sm-engine-without-file",
    severity=Severity.ERROR,
    scope=Scope.FABRIC,
    source=OPENSM,
    is_proof=False,
)
def sm_engine_without_file(fabric: FabricView) -> Iterator[Fault]:
    """A routing engine lacks the file that it works from.

    Why: engine file reports success without any table; torus-2QoS fails, and minhop routes
        the torus with credit loops.
    Bad: routing_engine file, without lfts_file.
    Good: routing_engine file and lfts_file.
    Fix: name the file.
    """
    for manager in managers(fabric):
        engines = manager.value("routing_engine").replace(",", " ").split()
        if "file" in engines and not manager.value("lfts_file"):
            found, effect = "file, without lfts_file", "it reports success and loads nothing"
            yield _no_file(manager, "lfts_file", found, effect)
        is_given = "torus-2QoS.conf" in manager.config.files or manager.value("torus_config")
        if "torus-2QoS" in engines and not is_given:
            found = "torus-2QoS, without torus_config"
            yield _no_file(manager, "torus_config", found, INSTEAD["torus_config"])


@rule(
    "sm-ftree-with-lmc", severity=Severity.ERROR, scope=Scope.FABRIC, source=OPENSM, is_proof=False
)
def sm_ftree_with_lmc(fabric: FabricView) -> Iterator[Fault]:
    """Fat-tree routing is asked for together with several LIDs a port.

    Why: ftree fails with an LMC above 0, and the next engine of the list routes the fabric,
        minhop where there is none; the log says so in one line.
    Bad: routing_engine ftree and lmc 1.
    Good: routing_engine ftree and lmc 0; or updn and lmc 1.
    Fix: take one of the two back.
    """
    for manager in managers(fabric):
        engines = manager.value("routing_engine").replace(",", " ").split()
        lmc = manager.number("lmc")
        if "ftree" in engines and lmc:
            others = [one for one in engines if one not in {"ftree", "no_fallback"}]
            instead = others[0] if others else "minhop"
            yield manager.fault(
                "lmc",
                expected="0",
                found=str(lmc),
                effect=f"ftree fails, and {instead} routes the fabric",
                at=manager.at("lmc"),
            )


def _no_file(manager: Manager, expected: str, found: str, effect: str) -> Fault:
    return manager.fault(
        "routing_engine",
        expected=expected,
        found=found,
        effect=effect,
        at=manager.at("routing_engine"),
    )


@rule("sm-roots-empty", severity=Severity.ERROR, scope=Scope.FABRIC, source=OPENSM, is_proof=False)
def sm_roots_empty(fabric: FabricView) -> Iterator[Fault]:
    """The file of roots names no switch.

    Why: updn cannot rank the fabric and fails; minhop routes it, with credit loops where it
        is no tree.
    Bad: an empty file.
    Good: the node GUID of every spine.
    Fix: list the roots, or take root_guid_file out, so that they are detected.
    """
    for manager in managers(fabric):
        roots = manager.config.roots
        if is_known(roots) and not roots.guids:
            yield manager.fault(
                "root_guid_file",
                expected="node GUIDs of the roots",
                found="none",
                effect="updn fails, and minhop routes the fabric",
                at=roots.evidence,
            )


@rule(
    "sm-config-stray",
    severity=Severity.WARNING,
    scope=Scope.FABRIC,
    source="linux-rdma/opensm issue 41: opensm-launch starts one manager per opensm.conf*",
    is_proof=False,
)
def sm_config_stray(fabric: FabricView) -> Iterator[Fault]:
    """A second file whose name begins with opensm.conf lies beside the first.

    Why: RHEL's start script runs one subnet manager for each such file; the backup of an
        editor or of Ansible is then live.
    Bad: opensm.conf.2024-01-01 beside opensm.conf.
    Good: backups in another folder.
    Fix: move it away.
    """
    for manager in managers(fabric):
        for at in manager.config.strays:
            yield manager.fault(
                "opensm.conf",
                expected="no other file of that name",
                found=at.file.rpartition("/")[2],
                effect="a start script may run a second subnet manager with it",
                at=at,
            )


@rule(
    "sm-priority-lowest",
    severity=Severity.INFO,
    scope=Scope.FABRIC,
    source="InfiniBand Architecture Specification 1.4, SM election: priority, then lowest GUID",
    is_proof=False,
)
def sm_priority_lowest(fabric: FabricView) -> Iterator[Fault]:
    """The subnet manager is given the lowest priority.

    Why: any other manager that starts takes over, one of an unconfigured switch too; of two
        with equal priority the lower GUID wins.
    Bad: sm_priority 0.
    Good: sm_priority 14 on the preferred manager, 13 on its standby.
    Fix: give each manager a priority of its own above 0.
    """
    for manager in managers(fabric):
        if manager.value("sm_priority") == "0":
            yield manager.fault(
                "sm_priority",
                expected="1 to 15",
                found="0",
                effect="whichever manager starts next takes over",
                at=manager.at("sm_priority"),
            )
