"""The processes of a test suite, sealed or plain, and their ends. Used by the scripts of SQLite's suite and of GRDB's tests."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
AT_ONCE = 2
# Of processor time, and by the clock, for each process: what else runs on the machine must not decide.
PROCESSOR_SECONDS = 600
CLOCK_SECONDS = 3600

# By the number of the signal.
ENDS = {signal.SIGXCPU: "endless", signal.SIGKILL: "endless", signal.SIGSEGV: "crashes", signal.SIGABRT: "aborts",
        signal.SIGILL: "traps", signal.SIGTRAP: "traps"}


def prepare(folder):
    """Makes what all processes need below FOLDER."""
    for place in ("work", "plain", "sealed"):
        (folder / place).mkdir(exist_ok=True)
    key = folder / "work/key"
    key.write_text(bytes(range(32)).hex())
    key.chmod(0o600)
    # A golden file gives its key slots to every file that a suite makes.
    shutil.copy(ROOT / "Fixtures/Golden/page-4096.db", folder / "work/anchor.db")


def limit(seconds):
    """Called in the child: the rest of the machine comes first."""
    os.nice(max(0, 15 - os.nice(0)))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Some files open as many descriptors as they get.
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))


def end_session(process):
    """Ends a process and what it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(folder, command, work, log, extension, settings=None, seconds=PROCESSOR_SECONDS):
    """Runs a command in the folder WORK, on sealed databases if there is an EXTENSION, and removes the folder.

    Returns how it ended early, if it did, and its processor time.
    """
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SEALITE_")}
    environment |= {"TZ": "UTC", **(settings or {})}
    if extension:
        environment["SEALITE_SUITE_ANCHOR"] = str(folder / "work/anchor.db")
        environment["SEALITE_SUITE_KEY"] = str(folder / "work/key")
        environment["SEALITE_SUITE_EXTENSION"] = str(extension)
    with open(log, "wb") as output:
        process = subprocess.Popen(
            [str(word) for word in command], cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=lambda: limit(seconds))
    timer = threading.Timer(CLOCK_SECONDS, end_session, [process])
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    end_session(process)
    code = process.returncode = os.waitstatus_to_exitcode(status)
    subprocess.run(["chmod", "-R", "u+rwX", str(work)], check=False)
    shutil.rmtree(work, ignore_errors=True)
    return "" if code in (0, 1) else ENDS.get(-code, f"exits-{code}"), round(usage.ru_utime + usage.ru_stime)
