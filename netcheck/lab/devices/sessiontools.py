"""Programs that concern the session: users, scripts, time, the machine."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable

from netcheck.lab.devices.files import DeviceFileError
from netcheck.lab.devices.shell import Call, Program, ShellExit

TIMED_OUT = 124


async def sudo(call: Call) -> int:
    """Run a command as root; ``sudo -s`` and ``sudo -i`` make the session root's."""
    words = list(call.arguments)
    wants_shell = False
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word in ("-u", "-p", "-g", "-U") and words:
            words.pop(0)
        wants_shell = wants_shell or word in ("-s", "-i", "-su")
        if word == "--":
            break
    while words and re.fullmatch(r"\w+=.*", words[0]):
        words.pop(0)
    if not words or words in (["su"], ["su", "-"], ["bash"]):
        if not wants_shell and not words:
            return call.fail("usage: sudo -h | -K | -k | -V")
        call.shell.users.append(call.shell.user)
        call.shell.user = "root"
        return 0
    child = call.shell.child(user="root")
    child.depth -= 1
    try:
        return await child.call(words, call.streams)
    except ShellExit as end:
        return end.status


async def shell(call: Call) -> int:
    """Run ``sh -c TEXT`` or a script."""
    words = list(call.arguments)
    options = ""
    while words and words[0].startswith("-") and len(words[0]) > 1:
        options += words.pop(0)[1:]
    if "c" in options:
        text, *arguments = words or [""]
    elif words:
        name, *arguments = words
        try:
            text = call.shell.files.read(call.shell.path(name))
        except DeviceFileError as error:
            return call.fail(f"{call.words[0]}: {name}: {error}", 127)
    else:
        text, arguments = await call.streams.read(), []
    if "e" in options.replace("c", ""):
        text = "set -e\n" + text
    return await call.shell.run_script(text, tuple(arguments), call.streams)


def set_options(call: Call) -> int:
    """Set -e and -u."""
    for word in call.arguments:
        on = word.startswith("-")
        if "e" in word[1:] and word[1:] != "pipefail":
            call.shell.stops_on_error = on
        if "u" in word[1:]:
            call.shell.stops_on_unset = on
    return 0


def leave(call: Call) -> int:
    """Leave the shell, or the root's shell within the session."""
    if call.shell.users and not call.arguments:
        call.shell.user = call.shell.users.pop()
        return 0
    status = call.arguments[0] if call.arguments else str(call.shell.status)
    raise ShellExit(int(status) if status.isdigit() else 2)


def export(call: Call) -> int:
    """Set variables."""
    for word in call.arguments:
        name, equals, value = word.partition("=")
        if equals:
            call.shell.variables[name] = value
    return 0


def cd(call: Call) -> int:
    """Change the folder."""
    home = "/root" if call.is_root else f"/home/{call.shell.user}"
    name = call.arguments[0] if call.arguments else home
    path = call.shell.path(name)
    if not call.shell.files.is_folder(path):
        return call.fail(f"-bash: cd: {name}: No such file or directory")
    call.shell.folder = path
    return 0


async def sleep(call: Call) -> int:
    """Wait."""
    try:
        await asyncio.sleep(float(call.arguments[0]))
    except (IndexError, ValueError):
        return call.fail("sleep: invalid time interval")
    return 0


async def timeout(call: Call) -> int:
    """Run a command for at most some seconds; 124 when they passed."""
    words = [word for word in call.arguments if not word.startswith("--")]
    while words and words[0] in ("-k", "-s"):
        del words[:2]
    if len(words) < 2:  # noqa: PLR2004 -- seconds and command
        return call.fail("timeout: missing operand", 125)
    try:
        seconds = float(words[0].rstrip("s"))
    except ValueError:
        return call.fail(f"timeout: invalid time interval '{words[0]}'", 125)
    try:
        return await asyncio.wait_for(call.shell.call(words[1:], call.streams), seconds)
    except TimeoutError:
        return TIMED_OUT


def which(call: Call) -> int:
    """Print where a program lies; 1 where there is none."""
    words = [word for word in call.arguments if not word.startswith("-")]
    missing = 0
    for word in words:
        if word in call.shell.programs:
            call.out(f"/usr/bin/{word}\n")
        else:
            missing = 1
    return missing


async def in_folder(call: Call) -> int:
    """Run ``env`` or ``nohup``: the command that follows."""
    words = list(call.arguments)
    while words and (words[0].startswith("-") or re.fullmatch(r"\w+=.*", words[0])):
        words.pop(0)
    return await call.shell.call(words, call.streams) if words else 0


async def wait(call: Call) -> int:
    """Wait for the jobs in the background."""
    for job in tuple(call.shell.jobs):
        with contextlib.suppress(asyncio.CancelledError):
            await job
    return 0


def _prints(text: str) -> Program:
    def program(call: Call) -> int | Awaitable[int]:
        call.out(text + "\n")
        return 0

    return program


def _whoami(call: Call) -> int:
    call.out(call.shell.user + "\n")
    return 0


def _id(call: Call) -> int:
    number = 0 if call.is_root else 1000
    if call.arguments == ("-u",):
        call.out(f"{number}\n")
    else:
        name = call.shell.user
        call.out(f"uid={number}({name}) gid={number}({name}) groups={number}({name})\n")
    return 0


def _hostname(call: Call) -> int:
    call.out(call.shell.host + "\n")
    return 0


def _pwd(call: Call) -> int:
    call.out(call.shell.folder + "\n")
    return 0


PROGRAMS: dict[str, Program] = {
    "sudo": sudo,
    "sh": shell,
    "bash": shell,
    "set": set_options,
    "exit": leave,
    "logout": leave,
    "export": export,
    "cd": cd,
    "pwd": _pwd,
    "sleep": sleep,
    "timeout": timeout,
    "which": which,
    "command": which,
    "env": in_folder,
    "nohup": in_folder,
    "wait": wait,
    "whoami": _whoami,
    "id": _id,
    "hostname": _hostname,
    "true": lambda _: 0,
    ":": lambda _: 0,
    "false": lambda _: 1,
    "umask": lambda _: 0,
    "unset": lambda _: 0,
    "stty": lambda _: 0,
    "terminal": lambda _: 0,
    "modprobe": lambda call: 0 if call.is_root else call.fail("modprobe: Operation not permitted"),
    "uname": _prints("Linux"),
    "logger": lambda _: 0,
}
