"""Loading the extension, once per process, and calling its SQL functions.

The extension registers itself with SQLite for the whole process and stays loaded. It serves the connections of the module `sqlite3`
if that uses the same libsqlite3, which the extension checks when it is loaded.

It isn't loaded by `Connection.load_extension`, which some builds of Python don't have, and which shows the symbols of the extension's
libsqlite3 to the whole process (RTLD_GLOBAL): a package with an SQLite of its own that is imported afterwards, such as sqlcipher3,
would then use the system's without a word, and write plain files.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from typing import Any

from ._errors import Error, worded

_lock = threading.Lock()
# What keeps the extension loaded; None before.
_loaded: Any = None
# Connections without a file on which functions are called, none of which is in use.
_idle: list[sqlite3.Connection] = []
# Those of the parent process, in a child after fork. SQLite allows to neither use nor close them there.
_inherited: list[list[sqlite3.Connection]] = []
_OWN_COPY = (
    "the module sqlite3 of this program has its own copy of SQLite inside, which shares neither locks nor files with the system's "
    "libsqlite3: use the sqlite3 of a Python that is linked with libsqlite3, such as Debian's /usr/bin/python3")
_OK_LOAD_PERMANENTLY = 256


def extension_path() -> str:
    """Returns the absolute path of the extension, libsealitevfs.so, for programs that load it themselves."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libsealitevfs.so")
    if not os.path.exists(path):
        raise Error("no-extension", f'"{path}" is missing: install the wheel that "make wheel" builds')
    return path


def ask(sql: str, *values: object) -> str:
    """Calls a function of the extension on a connection of its own, and returns its text."""
    load()
    try:
        connection = _idle.pop()
    except IndexError:
        connection = _new_connection()
    try:
        (answer,) = connection.execute(sql, values).fetchone()
        return str(answer)
    except sqlite3.Error as error:
        raise worded(str(error)) or error from None
    finally:
        _idle.append(connection)


def load() -> None:
    """Loads the extension unless this process has done so."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = _load(extension_path())


def _new_connection() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)


def _load(path: str) -> Any:
    """Loads the extension into the libsqlite3 with which Python's module `_sqlite3` is linked.

    SQLite passes the table of its functions, which the extension needs, to functions that it calls on each new connection. One such is
    registered for the time in which a connection is opened. No object of Python's module is touched.
    """
    try:
        import ctypes

        import _sqlite3

        sqlite: Any = ctypes.CDLL(_sqlite3.__file__)
        calls = (
            sqlite.sqlite3_open_v2, sqlite.sqlite3_close_v2, sqlite.sqlite3_free, sqlite.sqlite3_auto_extension,
            sqlite.sqlite3_cancel_auto_extension)
    except (ImportError, AttributeError, OSError):
        # SQLite is compiled into the program or the module.
        raise Error("refused", _OWN_COPY) from None
    opening, closing, freeing, registering, removing = calls
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        missing = re.match(r"(\S+): cannot open shared object", str(error))
        hint = " (Debian: install libsqlite3-0, libssl3, libpcre2-8-0 and libstemmer0d)" if missing else ""
        raise Error("refused", f"{error}{hint}") from None

    results: list[Error | None] = []
    thread = threading.get_ident()
    initialise = library.sqlite3_sealitevfs_init
    initialise.argtypes = [ctypes.c_void_p] * 3

    def on_new_connection(connection: int | None, message: int | None, routines: int | None) -> int:
        if threading.get_ident() == thread and not results:
            reason = ctypes.c_void_p()
            if initialise(connection, ctypes.addressof(reason), routines) == _OK_LOAD_PERMANENTLY:
                results.append(None)
            else:
                text = ctypes.string_at(reason.value).decode(errors="replace") if reason.value else "it can't be loaded"
                freeing(reason)
                results.append(Error("refused", text.removeprefix("sealite: ")))
        return 0

    trampoline = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(on_new_connection)
    handle = ctypes.c_void_p()
    readable_writable = 0x6
    registering(trampoline)
    try:
        opening(b":memory:", ctypes.byref(handle), ctypes.c_int(readable_writable), None)
    finally:
        removing(trampoline)
        closing(handle)
    if not results:
        raise Error("refused", "SQLite can't open a database in memory, in which to load the extension")
    if results[0] is not None:
        raise results[0]
    try:
        # That a connection of Python's has its functions now.
        connection = _new_connection()
        connection.execute("SELECT sealite_version()")
    except sqlite3.Error:
        raise Error("refused", _OWN_COPY) from None
    _idle.append(connection)
    # Another thread may be about to call what was registered.
    return (sqlite, library, trampoline)


def _after_fork() -> None:
    global _idle, _lock
    _inherited.append(_idle)
    _idle = []
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
