"""Builds what the machines of the real lab start from, once; cached by content.

A kernel, a small first file system, and a compressed root that all machines
share read-only. Packages come from the machine's own Debian sources, checked
by apt; they are unpacked and not installed, so that no maintainer script runs.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from netcheck.lab.real.tools import PATH, find, require
from netcheck.model.errors import TransportError

GUEST: Final = Path(__file__).with_name("guest")
KERNEL: Final = "linux-image-6.12-amd64"
HEADERS: Final = "linux-headers-6.12-amd64"
PACKAGES: Final = (
    *("base-files", "bash", "coreutils", "dash", "grep", "sed", "util-linux", "mount"),
    *("iproute2", "ethtool", "kmod", "procps", "hostname", "sudo", "socat"),
    *("openssh-server", "perftest", "rdma-core", "rdmacm-utils"),
    *("ibverbs-utils", "ibverbs-providers"),
)
# Of the kernel only what the lab loads. crc32_generic is asked for by name when an rxe
# device is made, and modules.dep does not say so.
MODULES: Final = (
    *("virtio_net", "virtio_blk", "squashfs", "overlay", "veth", "bridge"),
    *("rdma_rxe", "ib_uverbs", "rdma_ucm", "crc32_generic"),
    *("sch_ets", "sch_red", "sch_netem", "sch_tbf", "sch_ingress"),
    *("cls_flower", "act_skbedit", "act_gact"),
)
EARLY: Final = ("failover", "net_failover", "virtio_net", "virtio_blk", "squashfs", "overlay")
# Where those modules and what they need are: the whole package has 4,000 others.
KERNEL_PARTS: Final = (
    *("./boot/vmlinuz*", "*/modules.builtin*", "*/modules.order", "*/kernel/crypto/*"),
    *("*/kernel/net/*", "*/kernel/lib/*", "*/kernel/fs/squashfs/*", "*/kernel/fs/overlayfs/*"),
    *("*/kernel/fs/configfs/*", "*/kernel/arch/x86/crypto/*", "*/drivers/block/virtio_blk*"),
    *("*/drivers/infiniband/core/*", "*/drivers/infiniband/sw/rxe/*"),
    *("*/drivers/net/virtio_net*", "*/drivers/net/net_failover*", "*/drivers/net/veth*"),
)
SKIPPED: Final = ("./usr/share/doc/*", "./usr/share/man/*", "./usr/share/locale/*")
DOWNLOAD_S, BUILD_S = 240.0, 180.0
KEPT: Final = 2
_HEX: Final = 16  # digits of a folder's name


@dataclass(frozen=True, slots=True)
class Image:
    """Files that every machine starts from."""

    kernel: Path
    initrd: Path
    root: Path


def cache_directory() -> Path:
    """Where images are kept: one folder a user."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "netcheck" / "real-lab"


def built_image(cache: Path | None = None) -> Image:
    """Give the image, building it where the cache has none that fits.

    Raises:
        MissingToolsError: A program is not installed; says which package has it.
        TransportError: A package cannot be had, or a step of the build failed.
    """
    require()
    folder = (cache or cache_directory()) / _fingerprint()
    image = Image(folder / "vmlinuz", folder / "initrd.gz", folder / "root.squashfs")
    if not image.root.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="building-") as name:
            _build(Path(name))
            _publish(Path(name) / "image", folder)
        _forget_old(folder)
    return image


def _publish(built: Path, folder: Path) -> None:
    try:
        built.rename(folder)
    except OSError:  # somebody else was faster
        if not (folder / "root.squashfs").exists():
            raise


def _forget_old(folder: Path) -> None:
    others = sorted(
        (path for path in folder.parent.iterdir() if path != folder and len(path.name) == _HEX),
        key=lambda path: path.stat().st_mtime,
    )
    for old in others[: -(KEPT - 1)]:
        shutil.rmtree(old, ignore_errors=True)


def _fingerprint() -> str:
    """What the image is made of: this file, the guest's sources, and the kernel's version."""
    taken = hashlib.sha256(Path(__file__).read_bytes())
    for name in ("early.sh", "netcheck_dcb.c"):
        taken.update((GUEST / name).read_bytes())
    taken.update(_run(["apt-cache", "policy", KERNEL, "perftest"], timeout_s=BUILD_S).encode())
    return taken.hexdigest()[:_HEX]


def _run(argv: Sequence[str], *, timeout_s: float = BUILD_S, cwd: Path | None = None) -> str:
    """Run one program of the build; give its output.

    Raises:
        TransportError: It failed or took too long; with the last line it printed.
    """
    environment = {"PATH": PATH, "LC_ALL": "C", "HOME": "/nonexistent"}
    proxies = {name: value for name, value in os.environ.items() if "proxy" in name.lower()}
    try:
        done = subprocess.run(  # noqa: S603 -- programs named here
            [find(argv[0]) or argv[0], *argv[1:]],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            cwd=cwd,
            env={**environment, **proxies},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TransportError(f"{argv[0]}: no end after {timeout_s:g} s") from error
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        said = next((one for one in lines if one.startswith("E:")), lines[-1] if lines else "")
        raise TransportError(f"{argv[0]} {argv[1] if argv[1:] else ''}: {said}")
    return done.stdout


def pipe(*commands: Sequence[str], into: Path | None = None, cwd: Path | None = None) -> None:
    """Run programs, the output of each into the next.

    Args:
        into: File for the output of the last.

    Raises:
        TransportError: One of them failed, or they took too long.
    """
    line = " | ".join(map(shlex.join, commands))
    end = f" > {shlex.quote(str(into))}" if into else ""
    _run(["bash", "-c", f"set -o pipefail; {line}{end}"], cwd=cwd)


def _build(work: Path) -> None:
    image = work / "image"
    image.mkdir()
    _download(work / "debs", (*PACKAGES, KERNEL, HEADERS))
    kernel_parts = [path for path in (work / "debs").glob("*.deb") if path.name.startswith("linux")]
    for deb in sorted((work / "debs").glob("*.deb")):
        if deb.name.startswith((f"{KERNEL}_", f"{HEADERS}_")):
            continue  # a name for the newest, and no files
        into = work / ("kernel" if deb in kernel_parts else "root")
        into.mkdir(exist_ok=True)
        _unpack(deb, into)
    version = next((work / "kernel/lib/modules").iterdir()).name
    shutil.copy(work / f"kernel/boot/vmlinuz-{version}", image / "vmlinuz")
    modules = list(_needed_modules(work / "kernel", version))
    module = _built_module(work, version)
    _install_modules(work / "root", version, work / "kernel", [*modules, module])
    _make_initrd(work, modules, image / "initrd.gz")
    _make_root(work / "root", image / "root.squashfs")


def _download(folder: Path, packages: Sequence[str]) -> None:
    """Get packages and all they depend on, as for a machine that has none."""
    folder.mkdir()
    status = folder / "status"
    status.touch()
    wanted = _versions(status, packages)
    _run(["apt-get", "-q", "download", *wanted], timeout_s=DOWNLOAD_S, cwd=folder)


def _versions(status: Path, packages: Sequence[str]) -> list[str]:
    """Give ``name=version`` of every package that a machine with nothing would get."""
    text = _run(
        [
            "apt-get",
            *("-o", f"Dir::State::status={status}", "-o", "Debug::NoLocking=1"),
            *("-o", "APT::Install-Recommends=false", "-qq", "-s", "install", *packages),
        ]
    )
    found = []
    for line in text.splitlines():
        if line.startswith("Inst "):
            _, name, rest = line.split(" ", 2)
            found.append(f"{name}={rest.split('(', 1)[1].split(' ', 1)[0]}")
    return [one for one in found if not one.startswith(_LEFT_OUT)]


# What the kernel's packages want of a machine that boots from its disk or compiles.
_LEFT_OUT: Final = ("gcc-", "cpp-", "binutils", "initramfs-tools", "klibc", "linux-compiler-gcc")


def _unpack(deb: Path, into: Path) -> None:
    # Packages that still ship /bin and /lib go where the links of a merged system lead.
    for name in ("bin", "sbin", "lib", "lib64"):
        link = into / name
        if into.name == "root" and not link.is_symlink():
            (into / "usr" / name).mkdir(parents=True, exist_ok=True)
            link.symlink_to(f"usr/{name}")
    is_kernel = deb.name.startswith("linux-image-")
    excluded = [f"--exclude={pattern}" for pattern in SKIPPED]
    wanted = ["--wildcards", *KERNEL_PARTS] if is_kernel else excluded
    unpack = ["tar", "-x", "--keep-directory-symlink", "-C", str(into), *wanted]
    pipe(["dpkg-deb", "--fsys-tarfile", str(deb)], unpack)


def _needed_modules(kernel: Path, version: str) -> Iterator[Path]:
    """Give the files of the modules and of those they need, each once."""
    _run(["depmod", "-b", str(kernel), version])
    seen = set()
    for name in MODULES:
        argv = ["modprobe", "-d", str(kernel), "-S", version, "--show-depends", name]
        for line in _run(argv).splitlines():
            path = Path(line.removeprefix("insmod ").strip())
            if line.startswith("insmod") and path not in seen:
                seen.add(path)
                yield path


def _built_module(work: Path, version: str) -> Path:
    """Compile the module that holds DCB settings, against the headers that came with it."""
    headers = work / f"kernel/usr/src/linux-headers-{version}"
    makefile = headers / "Makefile"
    text = makefile.read_text("utf-8")
    makefile.write_text(text.replace("/usr/src", str(work / "kernel/usr/src")), "utf-8")
    (headers / "vmlinux").unlink(missing_ok=True)  # or type information is made of it, for minutes
    module = work / "module"
    module.mkdir()
    shutil.copy(GUEST / "netcheck_dcb.c", module)
    (module / "Makefile").write_text("obj-m := netcheck_dcb.o\n", "utf-8")
    _run(["make", "-C", str(headers), f"M={module}", "modules"])
    return module / "netcheck_dcb.ko"


def _install_modules(root: Path, version: str, kernel: Path, modules: Sequence[Path]) -> None:
    folder = root / "usr/lib/modules" / version
    folder.mkdir(parents=True)
    for path in modules:
        _unpack_module(path, folder)
    for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        shutil.copy(kernel / "lib/modules" / version / name, folder)
    _run(["depmod", "-b", str(root), version])


def _unpack_module(path: Path, folder: Path) -> None:
    """Put a module into a folder as the kernel takes it: an emulated processor unpacks slowly."""
    copy = Path(shutil.copy(path, folder))
    if copy.suffix == ".xz":
        _run(["xz", "-d", str(copy)])


def _make_initrd(work: Path, modules: Sequence[Path], into: Path) -> None:
    folder = work / "early"
    for name in ("bin", "dev", "proc", "sys", "modules", "lower", "upper", "root"):
        (folder / name).mkdir(parents=True)
    shutil.copy(find("busybox"), folder / "bin/busybox")
    shutil.copy(GUEST / "early.sh", folder / "init")
    (folder / "init").chmod(0o755)
    for path in modules:
        if path.name.split(".")[0] in EARLY:
            _unpack_module(path, folder / "modules")
    pack = ["cpio", "-o", "-H", "newc", "--quiet"]
    pipe(["find", "."], pack, ["gzip", "-1"], into=into, cwd=folder)


def _make_root(root: Path, into: Path) -> None:
    for name in ("dev", "proc", "sys", "run", "tmp", "root", "home", "var/tmp", "etc"):
        (root / name).mkdir(parents=True, exist_ok=True)
    make = ["tar", "-c", "--sort=name", "--owner=0", "--group=0", "."]
    pipe(make, ["sqfstar", "-comp", "lz4", "-quiet", "-no-progress", str(into)], cwd=root)
