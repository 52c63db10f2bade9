"""Password hashes as a Linux machine keeps them."""

from __future__ import annotations

import ctypes
import secrets
from typing import Final

from netcheck.model.errors import InputError

LIBRARY: Final = "libcrypt.so.1"
SALT_BYTES: Final = 8
# The least there is: an emulated processor takes a second for the usual 5,000.
ROUNDS: Final = 1000


def sha512_crypt(password: str) -> str:
    """Give the SHA-512 hash of a password, with a salt of its own, as in ``/etc/shadow``.

    Raises:
        InputError: The C library's libcrypt is not installed.

    Source: crypt(5).
    """
    try:
        crypt = ctypes.CDLL(LIBRARY).crypt
    except OSError as error:
        raise InputError(f"{LIBRARY} is not installed: sudo apt-get install libcrypt1") from error
    setting = f"$6$rounds={ROUNDS}${secrets.token_hex(SALT_BYTES)}$"
    crypt.restype = ctypes.c_char_p
    found: bytes = crypt(password.encode(), setting.encode())
    return found.decode()
