"""Programs that work on files and folders."""

from __future__ import annotations

import posixpath
import shutil

from netcheck.lab.devices.files import DeviceFileError
from netcheck.lab.devices.options import UnknownOptionError, split_options
from netcheck.lab.devices.shell import Call, Program


def ls(call: Call) -> int:
    """List names, one a line."""
    options, names = split_options(call.arguments, flags="1alhd", long=("color=",))
    tree, status = call.shell.files, 0
    for name in names or ["."]:
        path = call.shell.path(name)
        if not tree.exists(path):
            status = call.fail(f"ls: cannot access '{name}': No such file or directory", 2)
        elif not tree.is_folder(path) or "d" in options:
            call.out(f"{name}\n")
        else:
            shown = [n for n in tree.names(path) if "a" in options or not n.startswith(".")]
            call.out("".join(f"{entry}\n" for entry in shown))
    return status


def mkdir(call: Call) -> int:
    """Make folders; -p makes the parents."""
    options, names = split_options(call.arguments, flags="pv", valued="m", long=("mode=",))
    tree, status = call.shell.files, 0
    for name in names:
        path = call.shell.path(name)
        try:
            tree.check_writable(path, call.shell.user)
            if tree.is_folder(path) and "p" in options:
                continue
            tree.real(path).mkdir(parents="p" in options)
        except DeviceFileError as error:
            status = call.fail(f"mkdir: cannot create directory '{name}': {error}")
        except FileExistsError:
            status = call.fail(f"mkdir: cannot create directory '{name}': File exists")
        except OSError:
            status = call.fail(
                f"mkdir: cannot create directory '{name}': No such file or directory"
            )
    return status


def rm(call: Call) -> int:
    """Remove files; -r folders, -f without complaint about missing ones."""
    options, names = split_options(call.arguments, flags="rRfv", long=("force", "recursive"))
    tree, status = call.shell.files, 0
    for name in names:
        path = call.shell.path(name)
        try:
            if tree.is_folder(path) and options.keys() & {"r", "R", "recursive"}:
                tree.check_writable(path, call.shell.user)
                shutil.rmtree(tree.real(path))
            else:
                tree.remove(path, user=call.shell.user)
        except DeviceFileError as error:
            is_missing = error.reason == "No such file or directory"
            if not (is_missing and options.keys() & {"f", "force"}):
                status = call.fail(f"rm: cannot remove '{name}': {error}")
    return status


def _targets(call: Call, names: list[str]) -> list[tuple[str, str]]:
    """Pairs of source and target path."""
    *sources, target = (call.shell.path(name) for name in names)
    if call.shell.files.is_folder(target):
        return [(source, posixpath.join(target, posixpath.basename(source))) for source in sources]
    return [(source, target) for source in sources]


def mv(call: Call) -> int:
    """Rename a file."""
    options, names = split_options(call.arguments, flags="fnvT")
    if len(names) < 2 or (len(names) > 2 and not _is_folder(call, names[-1])):  # noqa: PLR2004 -- source, target
        return call.fail("mv: missing file operand")
    del options
    for source, target in _targets(call, names):
        try:
            call.shell.files.move(source, target, user=call.shell.user)
        except DeviceFileError as error:
            return call.fail(f"mv: cannot stat '{source}': {error}")
    return 0


def _is_folder(call: Call, name: str) -> bool:
    return call.shell.files.is_folder(call.shell.path(name))


def cp(call: Call) -> int:
    """Copy files; -a and -r folders as well."""
    options, names = split_options(call.arguments, flags="fparRvT")
    with_folders = options.keys() & {"a", "r", "R"}
    if with_folders and len(names) == 2 and call.shell.files.is_folder(call.shell.path(names[0])):  # noqa: PLR2004 -- from and to
        return _copy_folder(call, names[0], names[1])
    return _copy(call, names, None)


def _copy_folder(call: Call, name: str, to: str) -> int:
    """Copy a folder: to a new name, or into a folder that is there."""
    tree, source, target = call.shell.files, call.shell.path(name), call.shell.path(to)
    if tree.is_folder(target):
        target = posixpath.join(target, posixpath.basename(source))
    try:
        tree.check_writable(target, call.shell.user)
        shutil.copytree(tree.real(source), tree.real(target), dirs_exist_ok=True)
    except OSError as error:
        reason = error.reason if isinstance(error, DeviceFileError) else "No such file or directory"
        return call.fail(f"cp: cannot create directory '{to}': {reason}")
    return 0


def install(call: Call) -> int:
    """Copy files with a mode; -d makes folders."""
    try:
        options, names = split_options(call.arguments, flags="dDv", valued="mog", long=("mode=",))
    except UnknownOptionError as error:
        return call.fail(f"install: {error}")
    mode = options.get("m", options.get("mode", "755"))
    if not all(digit in "01234567" for digit in mode):
        return call.fail(f"install: invalid mode '{mode}'")
    if "d" in options:
        return _make_folders(call, names)
    if "D" in options and names:
        _make_folders(call, [posixpath.dirname(call.shell.path(names[-1]))])
    return _copy(call, names, int(mode, 8))


def _make_folders(call: Call, names: list[str]) -> int:
    for name in names:
        path = call.shell.path(name)
        try:
            call.shell.files.check_writable(path, call.shell.user)
            call.shell.files.real(path).mkdir(parents=True, exist_ok=True)
        except OSError:
            return call.fail(f"install: cannot create directory '{name}': Permission denied")
    return 0


def _copy(call: Call, names: list[str], mode: int | None) -> int:
    program, tree = call.words[0], call.shell.files
    if len(names) < 2:  # noqa: PLR2004 -- source and target
        return call.fail(f"{program}: missing destination file operand")
    for source, target in _targets(call, names):
        try:
            text = tree.read(source)
        except DeviceFileError as error:
            return call.fail(f"{program}: cannot stat '{source}': {error}")
        try:
            tree.write(target, text, user=call.shell.user)
        except DeviceFileError as error:
            return call.fail(f"{program}: cannot create regular file '{target}': {error}")
        if mode is not None:
            tree.real(target).chmod(mode)
    return 0


def chmod(call: Call) -> int:
    """Change modes, octal or +x."""
    if len(call.arguments) < 2:  # noqa: PLR2004 -- mode and file
        return call.fail("chmod: missing operand")
    mode, *names = call.arguments
    for name in names:
        path = call.shell.path(name)
        real = call.shell.files.real(path)
        if path in call.shell.files.made_up:
            continue
        if not real.exists():
            return call.fail(f"chmod: cannot access '{name}': No such file or directory")
        try:
            call.shell.files.check_writable(path, call.shell.user)
        except DeviceFileError:
            return call.fail(f"chmod: changing permissions of '{name}': Operation not permitted")
        if mode in ("+x", "a+x", "u+x"):
            real.chmod(real.stat().st_mode | 0o111)
        elif mode.isdigit():
            real.chmod(int(mode, 8))
    return 0


def touch(call: Call) -> int:
    """Make an empty file where there is none."""
    for name in call.arguments:
        path = call.shell.path(name)
        try:
            if not call.shell.files.exists(path):
                call.shell.files.write(path, "", user=call.shell.user)
        except DeviceFileError as error:
            return call.fail(f"touch: cannot touch '{name}': {error}")
    return 0


def test(call: Call) -> int:
    """Give whether a condition holds, as ``test`` and ``[``."""
    words = list(call.arguments)
    if call.words[0] == "[":
        if words[-1:] != ["]"]:
            return call.fail("-bash: [: missing `]'", 2)
        words.pop()
    negates = words[:1] == ["!"]
    return int(_holds(call, words[1:] if negates else words) is negates)


def _holds(call: Call, words: list[str]) -> bool:  # noqa: PLR0911 -- one return a condition
    tree = call.shell.files
    match words:
        case [text]:
            return bool(text)
        case ["-n", text]:
            return bool(text)
        case ["-z", text]:
            return not text
        case [("-e" | "-r" | "-f" | "-s" | "-w") as kind, name]:
            path = call.shell.path(name)
            return tree.exists(path) and not (kind == "-f" and tree.is_folder(path))
        case ["-x", name]:
            real = tree.real(call.shell.path(name))
            return real.exists() and bool(real.stat().st_mode & 0o111)
        case ["-d", name]:
            return tree.is_folder(call.shell.path(name))
        case [left, ("=" | "=="), right]:
            return left == right
        case [left, "!=", right]:
            return left != right
        case [left, operator, right]:
            return _compares(left, operator, right)
    return False


def _compares(left: str, operator: str, right: str) -> bool:
    try:
        a, b = int(left), int(right)
    except ValueError:
        return False
    return {
        "-eq": a == b,
        "-ne": a != b,
        "-gt": a > b,
        "-ge": a >= b,
        "-lt": a < b,
        "-le": a <= b,
    }.get(operator, False)


PROGRAMS: dict[str, Program] = {
    "ls": ls,
    "mkdir": mkdir,
    "rm": rm,
    "mv": mv,
    "cp": cp,
    "install": install,
    "chmod": chmod,
    "chown": lambda call: 0 if call.is_root else call.fail("chown: Operation not permitted"),
    "touch": touch,
    "sync": lambda _: 0,
    "test": test,
    "[": test,
}
