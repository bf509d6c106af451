"""Tests of the package in other packages that open SQLite databases, each on a sealed file: scripts/soak.d/52-hosts.sh installs them.

A test is skipped if its package isn't installed. SEALITE_TOOL is the tool `sealite`.
"""

import asyncio
import contextlib
import importlib.util
import os
import pathlib
import sqlite3
import subprocess
import sys
import textwrap
import unittest

import sealite
from test_sealite import TOOL, Case, tool


def needs(name):
    return unittest.skipUnless(importlib.util.find_spec(name), f"{name} isn't installed")


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


class HostCase(Case):
    def assert_sealed(self, path="a.db"):
        """No page of the file, and no file beside it, has a text that the tests write."""
        for file in pathlib.Path(".").glob(path + "*"):
            self.assertNotIn(b"buy milk", file.read_bytes())
        self.assertTrue(pathlib.Path(path).read_bytes().startswith(b"Sealite\0"))


@needs("sqlalchemy")
class SQLAlchemy(HostCase):
    def test_the_object_mapper_over_a_pool(self):
        from sqlalchemy import create_engine, select
        from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

        class Base(DeclarativeBase):
            pass

        class Task(Base):
            __tablename__ = "task"
            id: Mapped[int] = mapped_column(primary_key=True)
            text: Mapped[str]

        engine = create_engine(sealite.url("a.db", key_file="right.key"), pool_size=3)
        self.assertEqual(engine.dialect.name, "sqlite")
        Base.metadata.create_all(engine)
        with Session(engine) as session:
            session.add_all([Task(text=f"task {number}") for number in range(100)])
            session.commit()
        with Session(engine) as one, Session(engine) as other:
            self.assertEqual(len(one.scalars(select(Task)).all()), 100)
            self.assertEqual(other.scalar(select(Task.text).where(Task.id == 7)), "task 6")
        engine.dispose()
        self.assert_sealed()

    def test_the_forms_of_the_URL(self):
        from sqlalchemy import create_engine, text
        from sqlalchemy.exc import ArgumentError, OperationalError

        absolute = os.path.abspath("a.db")
        for url in (
            "sealite:///a.db?key_file=right.key", f"sealite+pysqlite:///{absolute}?key_file=right.key&timeout=3",
            "sealite:///a.db?passphrase_file=passphrase", "sealite:///a.db?recovery_key_file=recovery&read_only=true",
        ):
            with create_engine(url).connect() as connection:
                self.assertEqual(connection.execute(text("SELECT count(*) FROM note")).scalar(), 1)
            sealite.lock(absolute)
        with self.assertRaisesRegex(OperationalError, "wrong-key"):
            create_engine("sealite:///a.db?key_file=wrong.key").connect()
        with self.assertRaisesRegex(OperationalError, "not-unlocked"):
            create_engine("sealite:///a.db").connect()
        with self.assertRaises(ArgumentError):
            create_engine("sealite://").connect()
        with self.assertRaisesRegex(TypeError, "call sealite.unlock first"):
            sealite.url("a.db", passphrase="open sesame")

    def test_secrets_in_connect_args_and_lock(self):
        from sqlalchemy import create_engine, text
        from sqlalchemy.exc import OperationalError

        secret = bytearray(b"open sesame")
        engine = create_engine("sealite:///a.db", connect_args={"passphrase": secret, "timeout": 5})
        with engine.connect() as one, engine.connect() as other:
            for connection in (one, other):
                self.assertEqual(connection.execute(text("SELECT count(*) FROM note")).scalar(), 1)
        self.assertEqual(secret, bytearray(11))
        engine.dispose()
        sealite.lock(os.path.abspath("a.db"))
        with self.assertRaisesRegex(OperationalError, "locked|not-unlocked"):
            engine.connect()


@needs("pandas")
class Pandas(HostCase):
    def test_frames_to_and_from_a_table(self):
        import pandas

        with contextlib.closing(sealite.connect("a.db", key_file="right.key")) as notes:
            pandas.DataFrame({"a": range(1000), "b": ["buy milk"] * 1000}).to_sql("frame", notes, index=False)
            self.assertEqual(int(pandas.read_sql("SELECT sum(a) AS s FROM frame", notes)["s"][0]), 499_500)
        self.assert_sealed()

    @needs("sqlalchemy")
    def test_by_an_engine(self):
        import pandas
        from sqlalchemy import create_engine

        engine = create_engine(sealite.url("a.db", key_file="right.key"))
        pandas.DataFrame({"a": [1, 2]}).to_sql("engine_frame", engine, index=False)
        self.assertEqual(len(pandas.read_sql_table("engine_frame", engine)), 2)
        engine.dispose()


@needs("aiosqlite")
class Aiosqlite(HostCase):
    def test_by_the_URI_of_unlock(self):
        import aiosqlite

        async def read():
            async with aiosqlite.connect(sealite.unlock("a.db", key_file="right.key"), uri=True) as notes:
                async with notes.execute("SELECT text FROM note") as cursor:
                    return await cursor.fetchone()

        self.assertEqual(asyncio.run(read()), ("buy milk",))


SETTINGS = """
import os
DATABASES = {"default": {
    "ENGINE": "sealite.django", "NAME": os.path.abspath("django.db"), "OPTIONS": {"key_file": "right.key", "timeout": 60}}}
DATABASES["default"]["OPTIONS"].update(eval(os.environ.get("MORE", "{}")))
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "app"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
ROOT_URLCONF = "app.urls"
ALLOWED_HOSTS = ["*"]
SECRET_KEY = "of a test"
"""
MODELS = """
from django.db import models

class Note(models.Model):
    text = models.CharField(max_length=100)
    written = models.DateTimeField(auto_now_add=True)
    tags = models.JSONField(default=list)
"""
URLS = """
import json, os
from django.http import HttpResponse
from django.urls import path

def add(request):
    from app.models import Note
    Note.objects.create(text="from a worker", tags=[os.getpid()])
    return HttpResponse(json.dumps([os.getpid(), os.getppid(), Note.objects.count()]))

urlpatterns = [path("add", add)]
"""
TESTS = """
from django.test import TestCase
from app.models import Note

class NoteTests(TestCase):
    def test_in_memory(self):
        Note.objects.create(text="x")
        self.assertEqual(Note.objects.filter(text__regex="^x").count(), 1)
"""


@needs("django")
class Django(HostCase):
    def setUp(self):
        super().setUp()
        pathlib.Path("django.db").unlink(missing_ok=True)
        tool("create", "django.db", "-q", "--key-file", "right.key")
        pathlib.Path("app").mkdir(exist_ok=True)
        pathlib.Path("settings.py").write_text(SETTINGS)
        for name, text in (("__init__", ""), ("models", MODELS), ("urls", URLS), ("tests", TESTS)):
            pathlib.Path("app", name + ".py").write_text(text)
        self.environment = {
            **os.environ, "DJANGO_SETTINGS_MODULE": "settings", "PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path]),
            "PATH": os.path.dirname(TOOL) + ":" + os.environ["PATH"],
        }

    def django(self, *arguments, **more):
        result = run(sys.executable, "-m", "django", *arguments, env={**self.environment, **more})
        return result.returncode, result.stdout + result.stderr

    def test_migrations_the_mapper_and_its_own_tests(self):
        self.assertEqual(self.django("makemigrations", "app")[0], 0)
        status, said = self.django("migrate")
        self.assertEqual(status, 0, said)
        code = textwrap.dedent("""
            from app.models import Note
            from django.db import connection, transaction
            import threading
            with transaction.atomic():
                Note.objects.bulk_create([Note(text="buy milk", tags=[n]) for n in range(500)])
            def add(): Note.objects.create(text="thread"); connection.close()
            threads = [threading.Thread(target=add) for _ in range(4)]
            [t.start() for t in threads]; [t.join() for t in threads]
            print(Note.objects.count(), Note.objects.filter(tags__0=7).count(), connection.vendor)
            """)
        status, said = self.django("shell", "-c", code)
        self.assertTrue(said.rstrip().endswith("504 1 sqlite"), said)
        self.assert_sealed("django.db")
        status, said = self.django("test", "app")
        self.assertEqual(status, 0, said)
        status, said = self.django("dbshell", "--", "SELECT count(*) FROM app_note")
        self.assertIn("504", said)

    def test_refusals(self):
        for more, words in (
            ('{"key_file": "wrong.key"}', "wrong-key"), ('{"passphrase_file": "passphrase"}', "only one of"),
            ('{"key_file": None}', "not-unlocked"),
        ):
            status, said = self.django("migrate", MORE=more)
            self.assertNotEqual(status, 0)
            self.assertIn(words, said)

    @needs("gunicorn")
    def test_gunicorn_with_a_preloaded_application(self):
        self.assertEqual(self.django("makemigrations", "app")[0], 0)
        self.assertEqual(self.django("migrate")[0], 0)
        # The master unlocks, and uses a connection, before it forks.
        pathlib.Path("served.py").write_text(textwrap.dedent("""
            from django.core.wsgi import get_wsgi_application
            application = get_wsgi_application()
            from app.models import Note
            from django.db import connection
            Note.objects.create(text="from the master")
            connection.close()
            """))
        program = textwrap.dedent("""
            import json, sys, urllib.request, socket, subprocess, time
            free = socket.socket(); free.bind(("127.0.0.1", 0)); port = free.getsockname()[1]; free.close()
            server = subprocess.Popen([sys.executable, "-m", "gunicorn", "--preload", "--workers", "2", "--bind", f"127.0.0.1:{port}",
                "served:application"], stderr=subprocess.PIPE, text=True)
            try:
                for _ in range(100):
                    try:
                        urllib.request.urlopen(f"http://127.0.0.1:{port}/add").read(); break
                    except OSError: time.sleep(0.1)
                answers = [json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/add")) for _ in range(20)]
                print(all(parent == server.pid for _, parent, _ in answers), answers[-1][2])
            finally:
                server.terminate(); print(server.stderr.read(), file=sys.stderr); server.wait()
            """)
        result = run(sys.executable, "-c", program, env=self.environment)
        # One of the master, one of the first request, and twenty.
        self.assertEqual(result.stdout.split(), ["True", "22"], result.stderr)
        self.assert_sealed("django.db")


@needs("datasette")
class Datasette(HostCase):
    def datasette(self, configuration, *arguments):
        pathlib.Path("datasette.yaml").write_text(configuration)
        from datasette.version import __version__

        option = "-m" if __version__.startswith("0.") else "-c"
        result = run(sys.executable, "-m", "datasette", *arguments, option, "datasette.yaml")
        return result.returncode, result.stdout + result.stderr

    def test_a_file_of_the_configuration(self):
        configuration = "plugins: {sealite: {notes: {path: a.db, key_file: right.key}}}"
        status, said = self.datasette(configuration, "--get", "/notes/note.json?_shape=array")
        self.assertEqual((status, said), (0, '[{"rowid": 1, "text": "buy milk"}]\n'))

    def test_a_file_of_the_command_line(self):
        from datasette.version import __version__

        if not __version__.startswith("0."):
            self.skipTest("Datasette 1.0a opens these before its plugins are asked")
        configuration = "plugins: {sealite: {a: {passphrase_file: passphrase}}}"
        status, said = self.datasette(configuration, "a.db", "--get", "/a/note.json?_shape=array")
        self.assertEqual((status, said), (0, '[{"rowid": 1, "text": "buy milk"}]\n'))

    def test_writing_by_another_plugin(self):
        from datasette.app import Datasette
        from datasette.version import __version__

        async def write():
            settings = {"plugins": {"sealite": {"notes": {"path": "a.db", "key_file": "right.key"}}}}
            datasette = Datasette(**{"metadata" if __version__.startswith("0.") else "config": settings})
            await datasette.invoke_startup()
            database = datasette.get_database("notes")
            await database.execute_write("CREATE TABLE written(text)")
            await database.execute_write("INSERT INTO written VALUES ('buy milk')")
            rows = (await database.execute("SELECT text FROM written")).rows
            with self.assertRaises(sqlite3.OperationalError):
                await database.execute("DELETE FROM written")
            return [tuple(row) for row in rows]

        self.assertEqual(asyncio.run(write()), [("buy milk",)])
        self.assert_sealed()

    def test_refusals(self):
        for configuration, words in (
            ("plugins: {sealite: {notes: {path: a.db, key_file: wrong.key}}}", "wrong-key"),
            ("plugins: {sealite: {notes: {key_file: right.key}}}", "has no path"),
            ("plugins: {sealite: {notes: {path: a.db, passphrase: x}}}", "takes path"),
        ):
            status, said = self.datasette(configuration, "--get", "/")
            self.assertNotEqual(status, 0)
            self.assertIn(words, said)


@needs("sqlite_utils")
class SQLiteUtils(HostCase):
    def utils(self, *arguments, **options):
        result = run(sys.executable, "-m", "sqlite_utils", *arguments, **options)
        return result.returncode, result.stdout + result.stderr

    def test_its_commands_on_a_sealed_file(self):
        sealed = ("sealed", "--key-file", "right.key")
        self.assertEqual(self.utils(*sealed, "rows", "a.db", "note"), (0, '[{"text": "buy milk"}]\n'))
        self.assertEqual(self.utils(*sealed, "insert", "a.db", "dogs", "-", "--pk", "id", input='[{"id": 1, "name": "Cleo"}]')[0], 0)
        self.assertEqual(self.utils("sealed", "--passphrase-file", "passphrase", "query", "a.db", "SELECT name FROM dogs")[1],
            '[{"name": "Cleo"}]\n')
        self.assertEqual(self.utils(*sealed, "enable-fts", "a.db", "dogs", "name")[0], 0)
        self.assertIn("Cleo", self.utils(*sealed, "search", "a.db", "dogs", "cleo")[1])
        self.assert_sealed()

    def test_refusals(self):
        status, said = self.utils("sealed", "--key-file", "wrong.key", "tables", "a.db")
        self.assertEqual(status, 1)
        self.assertIn("wrong-key", said)
        status, said = self.utils("sealed", "--key-file", "right.key", "insert", "new.db", "t", "-", input="[]")
        self.assertEqual(status, 1)
        self.assertIn("sealite create", said)
        self.assertFalse(os.path.exists("new.db"))

    def test_in_a_program(self):
        import sqlite_utils

        database = sqlite_utils.Database(sealite.connect("a.db", key_file="right.key"))
        database["cats"].insert_all([{"id": number, "name": "buy milk"} for number in range(300)], pk="id")
        self.assertEqual(database["cats"].count, 300)
        database.conn.close()
        self.assert_sealed()


class OwnCopies(HostCase):
    """Packages with an SQLite of their own, each in a process of its own: SQLite's `load_extension`, once called, shows the system's
    libsqlite3 to what is imported later."""

    def said(self, program):
        return run(sys.executable, "-c", textwrap.dedent(program)).stdout

    def check_refused(self, module, error):
        said = self.said(f"""
            import {module} as module, sealite
            connect = module.Connection if hasattr(module, "Connection") and {module == "apsw"} else module.connect
            connection = connect(":memory:")
            connection.enable_load_extension(True)
            try: connection.load_extension(sealite.extension_path())
            except module.{error} as error: print(error)
            """)
        self.assertIn("this program carries its own copy of SQLite", said)

    @needs("apsw")
    def test_apsw_is_refused_with_the_reason(self):
        self.check_refused("apsw", "ExtensionLoadingError")

    @needs("pysqlite3")
    def test_pysqlite3_is_refused_with_the_reason(self):
        self.check_refused("pysqlite3.dbapi2", "OperationalError")

    @needs("sqlcipher3")
    def test_sqlcipher3_is_refused_with_the_reason_and_keeps_its_own_SQLite(self):
        self.check_refused("sqlcipher3.dbapi2", "OperationalError")
        said = self.said("""
            import sealite
            notes = sealite.connect("a.db", key_file="right.key")
            from sqlcipher3 import dbapi2
            other = dbapi2.connect("cipher.db")
            other.execute("PRAGMA key = 'secret'")
            other.execute("CREATE TABLE t AS SELECT 'buy milk'")
            other.commit()
            print(len(notes.execute("SELECT * FROM note").fetchall()), b"buy milk" in open("cipher.db", "rb").read())
            """)
        self.assertEqual(said, "1 False\n")

    @needs("pysqlite3")
    def test_another_module_under_the_name_of_sqlite3_is_refused(self):
        program = "import sys, pysqlite3; sys.modules['sqlite3'] = pysqlite3; import sealite; print(sealite.version())"
        said = run(sys.executable, "-c", program).stderr
        self.assertIn("refused: the module sqlite3 of this program has its own copy of SQLite inside", said)

    @needs("pysqlite3")
    @needs("sqlite_utils")
    def test_sqlite_utils_says_why_it_cannot(self):
        said = run(sys.executable, "-m", "sqlite_utils", "sealed", "--key-file", "right.key", "tables", "a.db").stderr
        self.assertIn("has its own copy of SQLite inside: remove that package", said)


if __name__ == "__main__":
    unittest.main()
