"""A device for tests, run as a process: a real bash on a real terminal behind SSH.

Usage: ``bash_server.py FOLDER``; prints its port. FOLDER holds ``password`` and
``bin`` (first in the shell's path); what clients type goes to ``FOLDER/typed``.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import signal
import sys
import termios
from pathlib import Path

import asyncssh

FOLDER = Path(sys.argv[1])


class _Server(asyncssh.SSHServer):
    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return (username, password) == ("admin", (FOLDER / "password.right").read_text())


async def _shell(folder: Path, process: asyncssh.SSHServerProcess[bytes]) -> None:
    main, side = pty.openpty()
    environment = {
        "HOME": str(folder),
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "TERM": "vt100",
        "LC_ALL": "C.UTF-8",
        "PS1": "admin@device:~$ ",
    }
    child = await asyncio.create_subprocess_exec(
        "bash", "--norc", "--noprofile", "-i",
        stdin=side, stdout=side, stderr=side, env=environment, start_new_session=True,
        cwd=folder, preexec_fn=_take_terminal,
    )  # fmt: skip
    os.close(side)
    loop = asyncio.get_running_loop()

    def forward() -> None:
        try:
            process.stdout.write(os.read(main, 65536))
        except OSError:
            loop.remove_reader(main)
            process.exit(0)

    loop.add_reader(main, forward)
    try:
        while data := await process.stdin.read(65536):
            with (folder / "typed").open("ab") as typed:
                typed.write(data)
            os.write(main, data)
    except asyncssh.Error:
        pass
    finally:
        loop.remove_reader(main)
        if child.returncode is None:
            child.kill()
        await child.wait()
        os.close(main)
        process.exit(0)


def _take_terminal() -> None:
    # as sshd does: a run in the background ignores it, and every command would inherit that
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


async def main() -> None:
    async def shell(process: asyncssh.SSHServerProcess[bytes]) -> None:
        await _shell(FOLDER, process)

    server = await asyncssh.listen(
        "127.0.0.1",
        0,
        server_factory=_Server,
        server_host_keys=[asyncssh.generate_private_key("ssh-ed25519")],
        process_factory=shell,
        sftp_factory=True,
        encoding=None,
        line_editor=False,
    )
    print(server.get_port(), flush=True)  # noqa: T201 -- the parent reads it
    await server.wait_closed()


if __name__ == "__main__":
    asyncio.run(main())
