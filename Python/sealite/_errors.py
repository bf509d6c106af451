"""The error of this package."""

from __future__ import annotations

import re
import sqlite3

_WORDED = re.compile(r"([a-z][a-z0-9-]*): (.+)", re.DOTALL)


class Error(sqlite3.OperationalError):
    """A failure with the reason that Sealite gives for it, where SQLite only says "authorization denied" or "disk I/O error".

    `code` is for programs, such as "wrong-key" (Documentation/Troubleshooting.md of Sealite), and `reason` for people. Neither
    contains a secret.
    """

    code: str
    reason: str

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason

    def __reduce__(self) -> tuple[type[Error], tuple[str, str]]:
        return (type(self), (self.code, self.reason))


def worded(message: str) -> Error | None:
    """The error for a message of the extension, which begins with a code; None if the message is SQLite's own."""
    found = _WORDED.fullmatch(message)
    return Error(found[1], found[2]) if found else None
