"""Django finds the backend in this module.

    DATABASES = {"default": {"ENGINE": "sealite.django", "NAME": BASE_DIR / "app.db", "OPTIONS": {"key_file": "/etc/app/app.key"}}}
"""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.sqlite3 import base, client

from .._connecting import WAYS, StandingUnlock

_OPTION = {
    "key_file": "--key-file", "passphrase_file": "--passphrase-file", "recovery_key_file": "--recovery-key-file"}


class DatabaseClient(client.DatabaseClient):
    """`manage.py dbshell` is `sealite sql`, since the `sqlite3` shell opens plain files."""

    executable_name = "sealite"

    @classmethod
    def settings_to_cmd_args_env(cls, settings_dict: dict[str, Any], parameters: list[str]) -> tuple[list[str], None]:
        arguments = [cls.executable_name, "sql", str(settings_dict["NAME"])]
        for name, option in _OPTION.items():
            if name in settings_dict["OPTIONS"]:
                arguments += [option, str(settings_dict["OPTIONS"][name])]
        return [*arguments, *parameters], None


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's backend for SQLite, whose connections are those of sealed databases. A process unlocks a database once.

    `OPTIONS` takes the arguments of `sealite.unlock`, of which one is needed unless the program has unlocked the file, and those of
    Django's own backend. The databases of Django's tests are in memory, as with that.
    """

    display_name = "SQLite, sealed"
    client_class = DatabaseClient
    _unlocks: dict[str, StandingUnlock] = {}

    def get_connection_params(self) -> dict[str, Any]:
        parameters: dict[str, Any] = super().get_connection_params()
        ways = {name: parameters.pop(name) for name in WAYS if name in parameters}
        if not self.is_in_memory_db():
            try:
                unlock = StandingUnlock(parameters["database"], ways)
            except TypeError as error:
                raise ImproperlyConfigured(f"settings.DATABASES[{self.alias!r}]['OPTIONS']: {error}") from None
            # For all threads, each of which has a connection and a wrapper of its own.
            self._unlocks.setdefault(unlock.path, unlock)
            parameters["database"] = unlock.path
        return parameters

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if self.is_in_memory_db():
            return super().get_new_connection(conn_params)

        def connecting(address: str, **_: Any) -> Any:
            return super(DatabaseWrapper, self).get_new_connection({**conn_params, "database": address})

        return self._unlocks[conn_params["database"]].connect(False, connecting, {})
