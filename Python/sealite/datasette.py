"""The plugin of Datasette for sealed databases, which its configuration names:

    plugins:
      sealite:
        notes:
          path: notes.db
          key_file: notes.key
"""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING, Any

from datasette import hookimpl

from ._connecting import WAYS, StandingUnlock
from ._errors import Error

if TYPE_CHECKING:
    from datasette.app import Datasette


def _sealed(datasette: Datasette, path: str, unlock: StandingUnlock) -> Any:
    """A database of Datasette whose connections are those of a sealed file."""
    # Datasette imports its plugins before it has its own classes.
    from datasette.database import Database

    class SealedDatabase(Database):
        def connect(self, write: bool = False) -> Any:
            connection = unlock.connect(not write, sqlite3.connect, {"check_same_thread": False})
            self._all_file_connections.append(connection)
            return connection

    return SealedDatabase(datasette, path=path, is_mutable=True)


@hookimpl
def startup(datasette: Datasette) -> None:
    """Adds the databases of the configuration, in place of those of the same name that the command line named."""
    from datasette.utils import StartupError

    for name, settings in (datasette.plugin_config("sealite") or {}).items():
        ways = dict(settings)
        path = ways.pop("path", None) or (datasette.databases[name].path if name in datasette.databases else None)
        if path is None:
            raise StartupError(f"sealite: the database {name!r} of the configuration has no path")
        if "credential" in ways:
            ways["credential"] = tuple(ways["credential"])
        if set(ways) - set(WAYS) or {"key", "passphrase", "recovery_key"} & set(ways):
            raise StartupError(f"sealite: {name!r} takes path, and key_file, passphrase_file, recovery_key_file or credential")
        try:
            database = _sealed(datasette, os.path.abspath(path), StandingUnlock(os.path.abspath(path), ways))
            database.connect().close()
        except (Error, TypeError) as error:
            raise StartupError(f"sealite: {name!r}: {error}") from error
        if name in datasette.databases:
            datasette.remove_database(name)
        datasette.add_database(database, name=name)
