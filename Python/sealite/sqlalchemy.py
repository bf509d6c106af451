"""The dialect of SQLAlchemy for sealed databases: `create_engine("sealite:///notes.db?key_file=notes.key")`."""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError

from ._connecting import WAYS, StandingUnlock

_QUERY = ("key_file", "passphrase_file", "recovery_key_file", "read_only")


class SealiteDialect(SQLiteDialect_pysqlite):
    """SQLite's dialect, whose connections are those of sealed databases. An engine unlocks its database once.

    The arguments of `sealite.unlock` are part of the URL if they are names of files, otherwise of `connect_args`.
    """

    supports_statement_cache = True
    _unlocks: dict[str, StandingUnlock]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._unlocks = {}

    def create_connect_args(self, url: URL) -> Any:
        if not self._is_url_file_db(url):
            raise ArgumentError("a sealed database is a file: sealite:///notes.db; sqlite:// is for databases in memory")
        own = {name: value for name, value in url.query.items() if name in _QUERY}
        arguments, options = super().create_connect_args(url.difference_update_query(own))
        return arguments, {**options, **own}

    def connect(self, *arguments: Any, **options: Any) -> Any:
        (path,) = arguments
        ways = {name: options.pop(name) for name in WAYS if name in options}
        read_only = str(options.pop("read_only", "false")).lower() in ("true", "1", "yes")
        unlock = self._unlocks.setdefault(path, StandingUnlock(path, ways))
        assert self.loaded_dbapi is not None
        return unlock.connect(read_only, self.loaded_dbapi.connect, options)


dialect = SealiteDialect
