"""What the attack scripts share: a folder, the tool, and the count of what got through."""

import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Interop"))


class Bench:
    """A folder with a raw key, in which the tool runs."""

    def __init__(self):
        if len(sys.argv) != 2:
            sys.exit("usage: %s SEALITE" % sys.argv[0])
        self.tool = os.path.abspath(sys.argv[1])
        self._folder = tempfile.TemporaryDirectory(prefix="sealite-attack-")
        self.folder = self._folder.name
        self.failures = []
        self.count = 0
        self.write("key", bytes(range(32)))

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        os.chmod(self.path(name), 0o600)

    def run(self, *arguments):
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.folder, "LC_ALL": "C.UTF-8"}
        return subprocess.run(
            [self.tool, *arguments], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, check=False)  # fmt: skip

    def must(self, *arguments):
        """What the attack is built on has to work."""
        result = self.run(*arguments)
        if result.returncode != 0:
            sys.exit("%s: %s" % (" ".join(arguments), result.stderr))
        return result.stdout

    def expect(self, what, condition, result=None):
        self.count += 1
        if not condition:
            self.failures.append(what)
            print("GOT THROUGH: %s %s" % (what, result or ""), file=sys.stderr)

    def finish(self):
        name = os.path.basename(sys.argv[0])
        print("%s: %d checks, %d got through" % (name, self.count, len(self.failures)))
        sys.exit(1 if self.failures else 0)
