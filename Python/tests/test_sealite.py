"""Tests of the package, which need nothing but the standard library. SEALITE_TOOL is the tool `sealite`.

Run with the unpacked wheel on PYTHONPATH: python3 -m unittest discover Python/tests
"""

import contextlib
import multiprocessing
import os
import pathlib
import pickle
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest

import sealite

TOOL = os.environ["SEALITE_TOOL"] = os.path.abspath(os.environ["SEALITE_TOOL"])


def tool(*arguments, **options):
    return subprocess.run([TOOL, *arguments], check=True, capture_output=True, **options)


class Case(unittest.TestCase):
    """A folder with the database a.db, which has a raw key, a passphrase that is cheap to derive, and a recovery key."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.home = os.getcwd()
        os.chdir(cls.folder.name)
        # Nothing of the user's: no configuration, no store.
        for name in [name for name in os.environ if name.startswith(("SEALITE_", "XDG_", "DBUS_"))]:
            if name != "SEALITE_TOOL":
                del os.environ[name]
        os.environ["HOME"] = cls.folder.name
        tool("keygen", "-q", "-o", "right.key")
        tool("keygen", "-q", "-o", "wrong.key")
        with open(os.open("passphrase", os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write("open sesame\n")
        tool("create", "a.db", "-q", "--key-file", "right.key", "--recovery-key-file", "recovery")
        tool("key", "add", "a.db", "-q", "--key-file", "right.key", "--new-passphrase-file", "passphrase", "--kdf-log-n", "14")
        with contextlib.closing(sealite.connect("a.db", key_file="right.key")) as notes:
            notes.execute("CREATE TABLE note(text)")
            notes.execute("INSERT INTO note VALUES ('buy milk')")
            notes.commit()

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.home)
        cls.folder.cleanup()

    def setUp(self):
        with contextlib.suppress(sealite.Error):
            sealite.lock("a.db")

    def check(self, connection):
        with contextlib.closing(connection):
            self.assertEqual(connection.execute("SELECT text FROM note").fetchone(), ("buy milk",))

    @contextlib.contextmanager
    def refused(self, code, *words):
        with self.assertRaises(sealite.Error) as caught:
            yield
        self.assertEqual(caught.exception.code, code)
        for word in words:
            self.assertIn(word, str(caught.exception))


def key(name="right.key"):
    return bytearray.fromhex(pathlib.Path(name).read_text())


class Unlocking(Case):
    def test_the_files_of_each_kind(self):
        for ways in ({"key_file": "right.key"}, {"passphrase_file": pathlib.Path("passphrase")}, {"recovery_key_file": "recovery"}):
            self.check(sealite.connect("a.db", **ways))
            sealite.lock("a.db")

    def test_secrets_in_memory_and_that_they_are_wiped(self):
        digits = bytearray(pathlib.Path("right.key").read_bytes())
        recovery = bytearray(pathlib.Path("recovery").read_bytes())
        for name, secret in (("key", key()), ("key", digits), ("passphrase", bytearray(b"open sesame")), ("recovery_key", recovery)):
            length = len(secret)
            self.check(sealite.connect("a.db", **{name: secret}))
            self.assertEqual(secret, bytearray(length))
            sealite.lock("a.db")

    def test_a_function_is_called_and_its_result_wiped(self):
        secret = key()
        self.check(sealite.connect("a.db", key=lambda: secret))
        self.assertEqual(secret, bytearray(32))

    def test_a_descriptor_is_read_and_stays_open(self):
        reader, writer = os.pipe()
        os.write(writer, b"open sesame\n")
        os.close(writer)
        self.check(sealite.connect("a.db", passphrase=reader))
        os.close(reader)

    def test_a_wrong_secret_is_wiped_too(self):
        secret = key("wrong.key")
        with self.refused("wrong-key"):
            sealite.connect("a.db", key=secret)
        self.assertEqual(secret, bytearray(32))

    def test_more_than_a_pipe_holds_is_refused_and_wiped(self):
        secret = bytearray(b"x" * 100_000)
        with self.refused("invalid-argument", "more than 1024 bytes"):
            sealite.connect("a.db", passphrase=secret)
        self.assertEqual(secret, bytearray(100_000))

    def test_what_cannot_be_wiped_is_refused_with_the_reason(self):
        for secret in ("open sesame", b"open sesame"):
            with self.assertRaisesRegex(TypeError, "can't be wiped from memory: give a bytearray"):
                sealite.connect("a.db", passphrase=secret)
            with self.assertRaisesRegex(TypeError, "can't be wiped"):
                sealite.connect("a.db", key=lambda secret=secret: secret)
        with self.assertRaisesRegex(TypeError, "give it as key_file"):
            sealite.connect("a.db", key=pathlib.Path("right.key"))
        with self.assertRaisesRegex(TypeError, "a bytearray, a file descriptor or a function"):
            sealite.connect("a.db", key=True)

    def test_two_ways_and_none(self):
        with self.assertRaisesRegex(TypeError, "only one of key_file, passphrase"):
            sealite.connect("a.db", key_file="right.key", passphrase=bytearray(b"open sesame"))
        with self.assertRaisesRegex(TypeError, "one of key_file, "):
            sealite.unlock("a.db")
        with self.assertRaisesRegex(TypeError, "uri isn't an argument"):
            sealite.connect("a.db", key_file="right.key", uri=True)

    def test_no_copy_of_a_passphrase_stays_in_memory(self):
        # The letters are reversed in the child's source, and put in place one by one.
        child = subprocess.Popen([sys.executable, "-c", """if True:
            import sealite, sys
            letters = b"emases nepo"
            secret = bytearray(len(letters))
            for index in range(len(letters)): secret[index] = letters[-1 - index]
            uri = sealite.unlock("a.db", passphrase=secret)
            print(uri, flush=True)
            sys.stdin.read()
            """], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(child.communicate)
        self.assertTrue(child.stdout.readline().startswith("file:a.db?vfs=sealite"))
        found = {text: 0 for text in (b"open sesame", b"emases nepo")}
        with open(f"/proc/{child.pid}/maps") as maps, open(f"/proc/{child.pid}/mem", "rb", 0) as memory:
            for line in maps:
                place, rights = line.split()[:2]
                if rights.startswith("rw"):
                    start, end = (int(number, 16) for number in place.split("-"))
                    memory.seek(start)
                    with contextlib.suppress(OSError):
                        content = memory.read(end - start)
                        for text in found:
                            found[text] += content.count(text)
        self.assertEqual(found[b"open sesame"], 0)
        # That it would be found.
        self.assertGreater(found[b"emases nepo"], 0)


class Opening(Case):
    def test_the_connection_is_of_the_standard_module(self):
        class Own(sqlite3.Connection):
            pass

        connection = sealite.connect("a.db", key_file="right.key", factory=Own, isolation_level=None, timeout=1)
        self.assertIs(type(connection), Own)
        self.check(connection)
        self.assertIs(type(sealite.connect("a.db")), sqlite3.Connection)

    def test_an_unlocked_file_needs_no_secret(self):
        with self.refused("not-unlocked"):
            sealite.connect("a.db")
        uri = sealite.unlock("a.db", key_file="right.key")
        self.check(sealite.connect("a.db"))
        self.check(sqlite3.connect(uri, uri=True))

    def test_read_only(self):
        with contextlib.closing(sealite.connect("a.db", key_file="right.key", read_only=True)) as notes:
            with self.assertRaisesRegex(sqlite3.OperationalError, "readonly"):
                notes.execute("INSERT INTO note VALUES ('x')")

    def test_names_that_a_URI_escapes(self):
        folder = pathlib.Path("a folder #1")
        folder.mkdir()
        for name in ("ü ?#%.db", "50%25", "a&b=c;d:e", ":memory:"):
            path = folder / name
            tool("create", str(path), "-q", "--key-file", "right.key")
            absolute = os.path.abspath(path)
            for form in (path, str(path), absolute, "/" + absolute):
                sealite.connect(form, key_file="right.key").close()
                sealite.connect(form).close()
                sealite.lock(form)

    def test_refusals_have_codes(self):
        with self.refused("no-such-file"):
            sealite.connect("none.db", key_file="right.key")
        with self.refused("no-such-file"):
            sealite.connect("none.db")
        with self.refused("not-sealed"):
            sealite.connect("right.key", key_file="right.key")
        with self.refused("not-unlocked"):
            sealite.lock("a.db")
        for path in ("", "a\0b", "\udcff"):
            with self.refused("invalid-argument"):
                sealite.connect(path)
        self.assertFalse(os.path.exists("none.db"))
        with self.assertRaises(sqlite3.OperationalError):
            sealite.connect("none.db")
        copy = pickle.loads(pickle.dumps(sealite.Error("locked", "why")))
        self.assertEqual((copy.code, copy.reason, str(copy)), ("locked", "why", "locked: why"))

    def test_the_reason_of_a_later_failure(self):
        notes = sealite.connect("a.db", key_file="right.key")
        notes.row_factory = lambda cursor, row: {}
        notes.text_factory = bytes
        notes.execute("PRAGMA cache_size = 0")
        sealite.lock("a.db")
        with self.assertRaises(sqlite3.DatabaseError):
            notes.execute("SELECT * FROM note").fetchall()
        self.assertEqual(sealite.failure(notes).code, "locked")

    def test_a_file_opened_without_the_extension(self):
        sealite.version()
        plain = sqlite3.connect("a.db")
        with self.assertRaisesRegex(sqlite3.DatabaseError, "file is not a database"):
            plain.execute("SELECT * FROM note")
        self.assertIn("vfs=sealite", sealite.failure(plain).reason)

    def test_a_libsqlite3_without_FTS5(self):
        # Each connection loses the function by which FTS5 is found, before the extension sees it.
        program = """if True:
            import _sqlite3, ctypes, sqlite3
            library = ctypes.CDLL(_sqlite3.__file__)
            def remove(connection, message, routines):
                return library.sqlite3_create_function(ctypes.c_void_p(connection), b"fts5", 1, 1, None, None, None, None)
            remove = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(remove)
            library.sqlite3_auto_extension(remove)
            import sealite
            notes = sealite.connect("a.db", key_file="right.key")
            plain = sqlite3.connect(":memory:")
            try: plain.execute("SELECT fts5(NULL)")
            except sqlite3.OperationalError as error: print(error)
            print(notes.execute("SELECT text FROM note").fetchone()[0], plain.execute("SELECT body_type(x'0C', 'a')").fetchone()[0])
            """
        said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(said.stdout, "no such function: fts5\nbuy milk missing\n", said.stderr)

    def test_version_and_path(self):
        self.assertRegex(sealite.version(), r"^Sealite \d.*SQLite 3\..*OpenSSL 3")
        self.assertTrue(os.path.isabs(sealite.extension_path()))


class Credentials(Case):
    """The passphrase in a vault, as `sealite credential set` puts it there."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.options = ["--vault", os.path.abspath("vault/v.db"), "--vault-key-file", os.path.abspath("right.key")]
        os.mkdir("vault", 0o700)
        tool("credential", "set", "notes", "--user", "python", "--password-file", "passphrase", *cls.options)
        cls.path = os.environ["PATH"]
        os.environ["PATH"] = os.path.dirname(TOOL) + ":" + cls.path

    @classmethod
    def tearDownClass(cls):
        os.environ["PATH"] = cls.path
        super().tearDownClass()

    def test_a_stored_passphrase_unlocks(self):
        self.check(sealite.connect("a.db", credential=sealite.Credential("notes", "python", self.options)))

    def test_the_words_of_the_tool_are_the_reason(self):
        with self.refused("no-credential", "nobody"):
            sealite.connect("a.db", credential=("notes", "nobody", self.options))

    def test_without_the_tool(self):
        path, os.environ["PATH"] = os.environ["PATH"], "/nonexistent"
        try:
            with self.refused("no-tool", "isn't on the PATH"):
                sealite.connect("a.db", credential=("notes", "python"))
        finally:
            os.environ["PATH"] = path

    def test_another_type(self):
        with self.assertRaisesRegex(TypeError, "tuple of two str"):
            sealite.connect("a.db", credential="python")


def read_in_spawned(folder, results):
    os.chdir(folder)
    try:
        sealite.connect("a.db")
    except sealite.Error as error:
        results.put(error.code)
    results.put(sealite.connect("a.db", key_file="right.key").execute("SELECT text FROM note").fetchone()[0])


class Processes(Case):
    def in_child(self, body):
        """What a function prints in a child of os.fork()."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writer, repr(body()).encode())
            except BaseException as error:
                os.write(writer, repr(error).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as answer:
            text = answer.read()
        os.waitpid(child, 0)
        return text

    def test_a_child_after_fork_opens_again_and_may_not_use_what_it_inherited(self):
        inherited = sealite.connect("a.db", key_file="right.key")
        self.assertEqual(inherited.execute("SELECT count(*) FROM note").fetchone()[0], 1)

        def body():
            try:
                inherited.execute("SELECT * FROM note").fetchall()
            except sqlite3.Error:
                pass
            code = sealite.failure(inherited).code
            own = sealite.connect("a.db")
            text = own.execute("SELECT text FROM note").fetchone()[0]
            sealite.lock("a.db")
            return (code, text)

        self.assertEqual(self.in_child(body), "('after-fork', 'buy milk')")
        # The child's lock doesn't reach the parent.
        self.check(inherited)

    def test_locked_before_fork_the_child_has_no_keys(self):
        sealite.unlock("a.db", key_file="right.key")
        sealite.lock("a.db")
        self.assertIn("not-unlocked", self.in_child(lambda: sealite.connect("a.db")))

    def test_a_child_forked_while_other_threads_unlock(self):
        ended = threading.Event()

        def unlock():
            while not ended.is_set():
                sealite.connect("a.db", key_file="right.key").close()

        threads = [threading.Thread(target=unlock) for _ in range(2)]
        sealite.unlock("a.db", key_file="right.key")
        for thread in threads:
            thread.start()
        try:
            # In the child of a process with threads only what needs no lock of theirs is sure to work.
            for _ in range(10):
                self.assertEqual(self.in_child(lambda: len(sealite.extension_path()) > 0), "True")
        finally:
            ended.set()
            for thread in threads:
                thread.join()

    def make_pages(self):
        """Some 500 pages, of which a scan has those after the first 64 opened by a second thread."""
        with contextlib.closing(sealite.connect("a.db", key_file="right.key")) as notes:
            notes.execute("CREATE TABLE IF NOT EXISTS page(body)")
            notes.execute("WITH n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 500)"
                          " INSERT INTO page SELECT printf('%04d', x) || zeroblob(1996) || x FROM n")
            notes.commit()
            return notes.execute("SELECT sum(length(body)), count(*) FROM page").fetchone()

    def test_a_child_forked_in_the_midst_of_a_scan(self):
        expected = self.make_pages()

        def body():
            with contextlib.closing(sealite.connect("a.db", key_file="right.key")) as own:
                return own.execute("SELECT sum(length(body)), count(*) FROM page").fetchone()

        with contextlib.closing(sealite.connect("a.db", key_file="right.key")) as notes:
            for count in range(200, 500, 20):
                rows = notes.execute("SELECT body FROM page")
                rows.fetchmany(count)
                self.assertEqual(self.in_child(body), repr(expected))
                self.assertEqual(len(rows.fetchall()), expected[1] - count)
            notes.execute("DROP TABLE page")

    def test_a_process_that_ends_in_the_midst_of_a_scan(self):
        self.make_pages()
        program = ("import sys, sealite; rows = sealite.connect('a.db', key_file='right.key').execute('SELECT body FROM page');"
                   " rows.fetchmany(int(sys.argv[1])); sys.exit(7)")
        for count in range(240, 320, 8):
            ended = subprocess.run([sys.executable, "-W", "ignore", "-c", program, str(count)])
            self.assertEqual(ended.returncode, 7)
        with contextlib.closing(sealite.connect("a.db", key_file="right.key")) as notes:
            notes.execute("DROP TABLE page")

    def test_multiprocessing(self):
        sealite.unlock("a.db", key_file="right.key")
        context = multiprocessing.get_context("spawn")
        results = context.Queue()
        process = context.Process(target=read_in_spawned, args=(os.getcwd(), results))
        process.start()
        self.assertEqual([results.get(timeout=60), results.get(timeout=60)], ["not-unlocked", "buy milk"])
        process.join()

    def test_threads_with_connections_of_their_own(self):
        failures = []

        def work(number):
            try:
                for _ in range(20):
                    with contextlib.closing(sealite.connect("a.db", key_file="right.key", timeout=60)) as notes:
                        notes.execute("INSERT INTO note VALUES (?)", (f"thread {number}",))
                        notes.commit()
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        with contextlib.closing(sealite.connect("a.db")) as notes:
            self.assertEqual(notes.execute("SELECT count(*) FROM note WHERE text LIKE 'thread%'").fetchone()[0], 80)
            notes.execute("DELETE FROM note WHERE text LIKE 'thread%'")
            notes.commit()
            self.assertEqual(notes.execute("PRAGMA integrity_check").fetchone()[0], "ok")


if __name__ == "__main__":
    unittest.main()
