"""Sealed (encrypted) SQLite databases of Sealite, by the standard module `sqlite3`.

    import sealite

    notes = sealite.connect("notes.db", key_file="notes.key")

`connect` returns an ordinary `sqlite3.Connection`. See Documentation/Python.md of Sealite.
"""

from ._connecting import connect, failure, lock, unlock, url, version
from ._errors import Error
from ._extension import extension_path
from ._secrets import Credential

__all__ = ["Credential", "Error", "connect", "extension_path", "failure", "lock", "unlock", "url", "version"]
