"""Unlocking, opening and locking databases."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Callable, TypeVar
from urllib.parse import quote

from . import _extension
from ._errors import Error, worded
from ._secrets import Path, Secret, descriptor_of, descriptor_of_credential, text_of

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

Connection = TypeVar("Connection")
# The functions of the extension, by the argument that names the secret.
_BY_FILE = {
    "key_file": "sealite_unlock_key_file", "passphrase_file": "sealite_unlock_passphrase_file",
    "recovery_key_file": "sealite_unlock_recovery_key_file",
}
_BY_DESCRIPTOR = {
    "key": "sealite_unlock_key_fd", "passphrase": "sealite_unlock_fd", "recovery_key": "sealite_unlock_recovery_key_fd",
    "credential": "sealite_unlock_fd",
}
WAYS = (*_BY_FILE, *_BY_DESCRIPTOR)


def connect(
    path: Path, *, key_file: Path | None = None, passphrase_file: Path | None = None, recovery_key_file: Path | None = None,
    key: Secret | None = None, passphrase: Secret | None = None, recovery_key: Secret | None = None,
    credential: tuple[Any, ...] | None = None, read_only: bool = False, **arguments: Any,
) -> sqlite3.Connection:
    """Unlocks a sealed database, and opens it.

    At most one of the arguments from `key_file` to `credential` names the secret, as for `unlock`; none is needed if this process has
    unlocked the file. The further arguments are those of `sqlite3.connect`, except `uri`.

    Raises `Error`, with the reason; `TypeError` for arguments of a wrong type.
    """
    if "uri" in arguments or "database" in arguments:
        raise TypeError("uri isn't an argument of sealite.connect: give the path alone, and read_only=True for mode=ro")
    ways = _given(
        key_file=key_file, passphrase_file=passphrase_file, recovery_key_file=recovery_key_file, key=key, passphrase=passphrase,
        recovery_key=recovery_key, credential=credential)
    return opened(path, _unlock(path, ways) if ways else uri_of(path), read_only, sqlite3.connect, arguments)


def unlock(
    path: Path, *, key_file: Path | None = None, passphrase_file: Path | None = None, recovery_key_file: Path | None = None,
    key: Secret | None = None, passphrase: Secret | None = None, recovery_key: Secret | None = None,
    credential: tuple[Any, ...] | None = None,
) -> str:
    """Unlocks a sealed database for this process, and returns the URI, without a secret, by which `sqlite3.connect(uri, uri=True)`
    opens it.

    Exactly one argument names the secret: a file (`key_file`, `passphrase_file`, `recovery_key_file`); its bytes in a bytearray, which
    is overwritten with zeros, a function that returns such a bytearray, or a file descriptor, which is read to its end (`key`,
    `passphrase`, `recovery_key`); or a passphrase in a credential store (`credential`, a `Credential` or a tuple of service and user).
    A passphrase takes half a second. The keys stay in locked memory until `lock`, or the end of the process.
    """
    ways = _given(
        key_file=key_file, passphrase_file=passphrase_file, recovery_key_file=recovery_key_file, key=key, passphrase=passphrase,
        recovery_key=recovery_key, credential=credential)
    if not ways:
        raise TypeError(f"one of {', '.join(WAYS)} has to be given")
    return _unlock(path, ways)


def lock(path: Path) -> None:
    """Wipes the keys of a database from memory. Connections that are open fail from then on.

    Raises `Error` with the code "not-unlocked" if the file isn't unlocked.
    """
    _extension.ask("SELECT sealite_lock(?)", text_of(path, "path"))


def version() -> str:
    """Returns the versions of Sealite, SQLite and OpenSSL, as one line."""
    return _extension.ask("SELECT sealite_version()")


def failure(connection: sqlite3.Connection) -> Error | None:
    """Returns the reason for the last failure of a connection to a sealed database, where SQLite said "disk I/O error" or the like.

    If the connection has had none, it is that of the last opening in this process that failed; None if there was none either.
    """
    cursor = connection.cursor()
    cursor.row_factory = None
    try:
        ((text,),) = cursor.execute("SELECT CAST(sealite_failure() AS BLOB)").fetchall()
    finally:
        cursor.close()
    return None if text is None else worded(text.decode())


def url(path: Path, **query: str) -> URL:
    """Returns the URL of a database for SQLAlchemy's `create_engine`, with the dialect "sealite".

    Of the arguments of `unlock` it takes the names of files: `key_file`, `passphrase_file`, `recovery_key_file`; and `read_only="true"`.
    For other secrets call `unlock` first.
    """
    from sqlalchemy.engine import URL

    for name in query:
        if name in _BY_DESCRIPTOR:
            raise TypeError(f"{name} can't be part of a URL: call sealite.unlock first")
    return URL.create("sealite", database=text_of(path, "path"), query=query)


class StandingUnlock:
    """Unlocks a database at the first connection of a host that opens it again and again, such as a pool."""

    def __init__(self, path: Path, ways: dict[str, Any]) -> None:
        for name in ways:
            if name not in WAYS:
                raise TypeError(f"{name} isn't one of {', '.join(WAYS)}")
        self.path = text_of(path, "path")
        self._ways = _given(**ways)
        self._lock = threading.Lock()
        self._is_unlocked = not self._ways

    def connect(
        self, read_only: bool, connecting: Callable[..., Connection], arguments: dict[str, Any]
    ) -> Connection:
        with self._lock:
            if not self._is_unlocked:
                _unlock(self.path, self._ways)
                self._is_unlocked = True
        return opened(self.path, uri_of(self.path), read_only, connecting, arguments)


def opened(
    path: Path, uri: str, read_only: bool, connecting: Callable[..., Connection], arguments: dict[str, Any]
) -> Connection:
    """The result of a function like `sqlite3.connect`, with the reason where it fails."""
    _extension.load()
    try:
        return connecting(uri + "&mode=ro" if read_only else uri, uri=True, **arguments)
    except sqlite3.Error as error:
        reason = _extension.ask("SELECT coalesce(sealite_failure(?), '')", text_of(path, "path"))
        found = worded(reason) or worded(str(error))
        if found is None:
            raise
        raise found from error


def uri_of(path: Path) -> str:
    """The URI of a database that is unlocked already."""
    text = text_of(path, "path")
    if text.startswith("//"):
        # An authority follows two slashes; Linux takes several for one.
        text = "/" + text.lstrip("/")
    if text == ":memory:":
        text = "./:memory:"
    return f"file:{quote(text)}?vfs=sealite"


def _given(**ways: Any) -> dict[str, Any]:
    given = {name: value for name, value in ways.items() if value is not None}
    if len(given) > 1:
        raise TypeError(f"only one of {', '.join(given)} can be given")
    return given


def _unlock(path: Path, ways: dict[str, Any]) -> str:
    ((name, value),) = ways.items()
    database = text_of(path, "path")
    if name in _BY_FILE:
        return _extension.ask(f"SELECT {_BY_FILE[name]}(?, ?)", database, text_of(value, name))
    descriptor: AbstractContextManager[int]
    descriptor = descriptor_of_credential(value) if name == "credential" else descriptor_of(value, name)
    # The extension is loaded before a secret is taken, which would be wiped for nothing if that fails.
    _extension.load()
    with descriptor as number:
        return _extension.ask(f"SELECT {_BY_DESCRIPTOR[name]}(?, ?)", database, number)
