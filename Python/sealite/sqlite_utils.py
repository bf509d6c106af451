"""The plugin of `sqlite-utils` for sealed databases: `sqlite-utils sealed --key-file notes.key COMMAND notes.db …`.

In a program, `sqlite_utils.Database(sealite.connect(…))` needs no plugin.
"""

from __future__ import annotations

import os
import sqlite3
from typing import Any

import click
import sqlite_utils.db
from sqlite_utils import hookimpl

from ._connecting import StandingUnlock, lock
from ._errors import Error


class _Opener:
    """The module `sqlite3`, whose `connect` opens files as sealed ones."""

    def __init__(self, ways: dict[str, Any]) -> None:
        self._ways = ways
        self._unlocks: dict[str, StandingUnlock] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(sqlite3, name)

    def connect(self, database: str, **arguments: Any) -> Any:
        if database == ":memory:" or arguments.get("uri"):
            return sqlite3.connect(database, **arguments)
        path = os.path.abspath(database)
        if not os.path.exists(path):
            raise click.ClickException(f'"{database}" doesn\'t exist: make a sealed database with \'sealite create\'')
        unlock = self._unlocks.setdefault(path, StandingUnlock(path, self._ways))
        try:
            return unlock.connect(False, sqlite3.connect, arguments)
        except Error as error:
            raise click.ClickException(str(error)) from None

    def lock(self) -> None:
        for path in self._unlocks:
            try:
                lock(path)
            except Error:
                pass


@hookimpl
def register_commands(cli: click.Group) -> None:
    """Adds the command `sealed`."""

    @cli.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
    @click.option("--key-file", type=click.Path(), envvar="SEALITE_KEY_FILE", help="The file with the raw key.")
    @click.option("--passphrase-file", type=click.Path(), envvar="SEALITE_PASSPHRASE_FILE", help="The file with the passphrase.")
    @click.option("--recovery-key-file", type=click.Path(), help="The file with the recovery key.")
    @click.option("--credential", nargs=2, metavar="SERVICE USER", help="A passphrase in a credential store.")
    @click.argument("command", nargs=-1, type=click.UNPROCESSED, required=True)
    def sealed(command: tuple[str, ...], **ways: Any) -> None:
        """Run a command of sqlite-utils on sealed databases.

        Example: sqlite-utils sealed --key-file notes.key rows notes.db note
        """
        given: dict[str, Any] = {name: value for name, value in ways.items() if value}
        if len(given) > 1:
            raise click.UsageError("give one of --key-file, --passphrase-file, --recovery-key-file and --credential")
        opener = _Opener(given)
        original = getattr(sqlite_utils.db, "sqlite3")
        if original is not sqlite3:
            raise click.ClickException(
                f"sqlite-utils uses {original.__name__}, which has its own copy of SQLite inside: remove that package from this environment")
        # Its commands open files by their path, and take no connection.
        setattr(sqlite_utils.db, "sqlite3", opener)
        try:
            cli.main(args=list(command), prog_name="sqlite-utils", standalone_mode=False)
        finally:
            setattr(sqlite_utils.db, "sqlite3", original)
            opener.lock()
