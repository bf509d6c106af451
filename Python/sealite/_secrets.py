"""Ways to name the secret that unlocks a database, and handing secrets to the extension by a file descriptor."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Callable, Iterator, NamedTuple, Sequence, Union

from ._errors import Error

Path = Union[str, "os.PathLike[str]"]
# The bytes of a secret, a file descriptor that is read to its end, or a function that returns the bytes.
Secret = Union[bytearray, int, Callable[[], bytearray]]
# What the extension reads of a secret at most, with a line end: less than a pipe holds, so that writing it never waits.
_LIMIT = 1024 + 2


class Credential(NamedTuple):
    """A passphrase in a credential store, which `sealite credential get SERVICE --user USER` finds.

    `options` are further options of that command, such as `["--vault", "vault.db", "--vault-passphrase-file", "vault.passphrase"]`.
    """

    service: str
    user: str
    options: Sequence[str] = ()


def text_of(path: Path, what: str) -> str:
    """A path as text that SQLite can take."""
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"{what} is a str or an os.PathLike of str, not {type(text).__name__}")
    if not text or "\0" in text:
        raise Error("invalid-argument", f"{what} is empty or contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Error("invalid-argument", f"{what} isn't UTF-8, the only encoding of names in SQLite") from None
    return text


@contextmanager
def descriptor_of(secret: Secret, name: str) -> Iterator[int]:
    """A descriptor from which a secret can be read. A bytearray is overwritten with zeros, whatever happens."""
    if isinstance(secret, bool) or not (isinstance(secret, (bytearray, int)) or callable(secret)):
        raise TypeError(_refusal(secret, name))
    if isinstance(secret, int):
        yield secret
        return
    content = secret() if callable(secret) else secret
    if not isinstance(content, bytearray):
        raise TypeError(_refusal(content, name) + f": the function for {name} returned it")
    try:
        if len(content) > _LIMIT:
            raise Error("invalid-argument", f"{name} has more than {_LIMIT - 2} bytes")
        reader, writer = os.pipe()
        try:
            try:
                os.write(writer, content)
            finally:
                os.close(writer)
            yield reader
        finally:
            os.close(reader)
    finally:
        # In place: `content[:] = …` of the same length copies into the same memory.
        content[:] = bytes(len(content))


def _refusal(secret: object, name: str) -> str:
    kind = type(secret).__name__
    if isinstance(secret, (str, bytes)):
        return f"{name} is a {kind}, which can't be wiped from memory: give a bytearray, which is overwritten with zeros after use"
    if isinstance(secret, os.PathLike):
        return f"{name} is a path: give it as {name}_file"
    return f"{name} is a bytearray, a file descriptor or a function that returns a bytearray, not {kind}"


@contextmanager
def descriptor_of_credential(credential: tuple[object, ...]) -> Iterator[int]:
    """A descriptor from which a passphrase of a credential store can be read, as the tool `sealite` writes it: it never is in the
    memory of Python. If the tool fails, its error is raised instead of what came of it."""
    # Seldom needed, and slow to import.
    import shutil
    import subprocess
    import tempfile

    if not isinstance(credential, tuple) or not 2 <= len(credential) <= 3 or not all(isinstance(p, str) for p in credential[:2]):
        raise TypeError("credential is a tuple of two str, the service and the user, or a sealite.Credential")
    service, user, options = Credential(*credential)  # type: ignore[arg-type]
    tool = shutil.which("sealite")
    if tool is None:
        raise Error(
            "no-tool", 'the program "sealite" isn\'t on the PATH: install it with "make install", or give the key in another way')
    command = [tool, "credential", "get", service, "--user", user, "--reveal", "--no-input", "--quiet", *options]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        assert process.stdout is not None
        failure: BaseException | None = None
        try:
            with process.stdout:
                yield process.stdout.fileno()
        except BaseException as error:
            failure = error
        status = process.wait()
        if status != 0 and not isinstance(failure, KeyboardInterrupt):
            errors.seek(0)
            said = " ".join(errors.read().decode(errors="replace").split())
            raise Error("no-credential", said.removeprefix("error: ") or f"{tool} ended with {status}") from None
        if failure is not None:
            raise failure
