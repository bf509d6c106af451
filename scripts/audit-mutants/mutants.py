#!/usr/bin/env python3
"""Breaks each primitive of SealiteCrypto in turn, in a copy of its sources, and requires that the audit's suites fail.

mutants.py [NAME...]  tries all mutants, or those named

A mutant replaces one text of one file, which has to stand there exactly once: a mutant that no longer fits the sources is an error, and
so is one that doesn't compile. The unchanged sources have to pass first, so that a failure shows the mutant and nothing else.
"""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = pathlib.Path(__file__).resolve().parent
COPY = ROOT / ".build-mutants"

# Name, file in Sources/SealiteCrypto, text, replacement.
MUTANTS = [
    ("hmac-accepts-anything", "Hashing/HashFunction.swift",
     "return unsafe code.count == expected.count && CRYPTO_memcmp(expected, code, expected.count) == 0",
     "return expected.count == 32"),
    ("hmac-in-place-accepts-anything", "Hashing/HashFunction.swift",
     "return unsafe CRYPTO_memcmp(expected, start, expected.count) == 0",
     "return unsafe start == start"),
    ("hmac-compares-16-bytes", "Hashing/HashFunction.swift",
     "CRYPTO_memcmp(expected, code, expected.count) == 0", "CRYPTO_memcmp(expected, code, 16) == 0"),
    ("hmac-ignores-length", "Hashing/HashFunction.swift",
     "code.count == expected.count && CRYPTO_memcmp(expected, code, expected.count) == 0",
     "CRYPTO_memcmp(expected, code, min(code.count, expected.count)) == 0"),
    ("hmac-without-key", "Hashing/HashFunction+OpenSSL.swift", "key.byteCount, parameters) == 1", "0, parameters) == 1"),
    ("equal-always", "Secrets/SecretBytes.swift",
     "unsafe byteCount == other.byteCount && CRYPTO_memcmp(cell.base, other.cell.base, byteCount) == 0",
     "unsafe cell.base == cell.base"),
    ("equal-by-length", "Secrets/SecretBytes.swift",
     "&& CRYPTO_memcmp(cell.base, other.cell.base, byteCount) == 0", "&& cell.base == cell.base"),
    ("random-zeros", "Random/SecureRandom.swift", "let count = unsafe getrandom(next, left, 0)",
     "let count = left; for i in 0..<left { unsafe next.storeBytes(of: 0, toByteOffset: i, as: UInt8.self) }"),
    ("random-constant", "Random/SecureRandom.swift", "let count = unsafe getrandom(next, left, 0)",
     "let count = left; for i in 0..<left { unsafe next.storeBytes(of: UInt8(truncatingIfNeeded: i &* 167), toByteOffset: i, as: UInt8.self) }"),
    ("random-short", "Random/SecureRandom.swift", "unsafe getrandom(next, left, 0)",
     "unsafe left < 256 ? getrandom(next, left, 0) : (getrandom(next, 256, 0), left).1"),
    ("gcm-tag-unchecked", "AEAD/AES+OpenSSL.swift",
     "&& EVP_CipherFinal_ex(context, bytes(plaintext + Int(count)), &count) == 1", "&& count >= 0"),
    ("gcm-associated-data-ignored", "AEAD/AES+OpenSSL.swift", "if associatedData.count > 0 {", "if associatedData.count < 0 {"),
    ("gcm-fixed-tag", "AEAD/AES+OpenSSL.swift",
     "return unsafe EVP_CIPHER_CTX_get_params(context, parameters) == 1 && parameters.pointee.return_size == 16",
     "return true"),
    ("xaes-label", "AEAD/PrefixCache.swift", "(prefix << 32) | 0x0058_0000", "(prefix << 32) | 0x0059_0000"),
    ("xaes-nonce-tail", "AEAD/XAES256GCM.swift", "plaintext, byteCount: Int32(truncatingIfNeeded: byteCount), associatedData: associatedData,\n            nonce: (nonce + 12)",
     "plaintext, byteCount: Int32(truncatingIfNeeded: byteCount), associatedData: associatedData,\n            nonce: (nonce + 8)"),
    ("key-wrap-integrity", "AEAD/AES+OpenSSL.swift",
     "guard unsafe EVP_CipherUpdate(context, start, &count, wrapped, Int32(wrapped.count)) == 1,\n                count == wrapped.count - overheadByteCount",
     "guard unsafe EVP_CipherUpdate(context, start, &count, wrapped, Int32(wrapped.count)) >= -1,\n                count <= wrapped.count"),
    ("hkdf-without-info", "KeyDerivation/KeyDerivation+OpenSSL.swift", "if info.count > 0 {", "if info.count < 0 {"),
    ("hkdf-without-salt", "KeyDerivation/KeyDerivation+OpenSSL.swift", "if salt.count > 0 {", "if salt.count < 0 {"),
    ("pbkdf2-one-iteration", "KeyDerivation/KeyDerivation+OpenSSL.swift", "var count = UInt64(iterations)", "var count = UInt64(1)"),
    ("scrypt-one-lane", "KeyDerivation/KeyDerivation+OpenSSL.swift", "p: UInt64(cost.p),", "p: UInt64(1),"),
    ("sha-512-is-sha-256", "Hashing/HashFunction+OpenSSL.swift", "case .sha512: unsafe Algorithms.sha512",
     "case .sha512: unsafe Algorithms.sha256"),
    ("hpke-sequence", "PublicKey/HPKE.swift", "for index in 0..<8 {", "for index in 0..<0 {"),
    ("hpke-mode", "PublicKey/HPKE.swift", "mode: 1, identifier: preSharedKey.identifier", "mode: 0, identifier: preSharedKey.identifier"),
    ("hpke-refused-message-advances", "PublicKey/HPKE.swift",
     "let message = try AESGCM.open(box, key: schedule.key, associatedData: associatedData)\n            schedule.sequenceNumber += 1",
     "schedule.sequenceNumber += 1\n            let message = try AESGCM.open(box, key: schedule.key, associatedData: associatedData)"),
]


def build():
    """Builds the copy; returns its output where that fails."""
    run = subprocess.run(["swift", "build", "-c", "release", "-Xswiftc", "-Onone", "--package-path", COPY],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return run.stdout if run.returncode else None


def audit():
    """Runs the suites of the copy; returns whether they passed, None where the program ended abnormally, and what was printed."""
    run = subprocess.run([COPY / ".build" / "release" / "Audit"], capture_output=True, text=True, timeout=600)
    passed = {0: True, 1: False}.get(run.returncode)
    return passed, run.stdout.strip() or f"ended with {run.returncode}"


def copy():
    for name in ("COpenSSL", "SealiteCrypto", "SealiteKnownAnswers"):
        shutil.rmtree(COPY / "Sources" / name, ignore_errors=True)
        shutil.copytree(ROOT / "Sources" / name, COPY / "Sources" / name)
    (COPY / "Sources" / "Audit").mkdir(exist_ok=True)
    shutil.copy(HERE / "main.swift.txt", COPY / "Sources" / "Audit" / "main.swift")
    shutil.copy(HERE / "Package.swift.txt", COPY / "Package.swift")


def survives(name, file, text, replacement):
    """Returns the reason why a mutant counts as a failure of this test; None where the audit noticed it."""
    path = COPY / "Sources" / "SealiteCrypto" / file
    original = path.read_text()
    if original.count(text) != 1:
        return f"its text stands {original.count(text)} times in {file}"
    path.write_text(original.replace(text, replacement))
    try:
        if problem := build():
            return "it doesn't compile:\n" + "\n".join(line for line in problem.splitlines() if "error" in line)
        passed, output = audit()
        print(f"audit mutants: {name}: {output}", flush=True)
        return {True: "the audit passes with it", False: None, None: "the audit ends abnormally"}[passed]
    finally:
        path.write_text(original)


def main(names):
    unknown = set(names) - {mutant[0] for mutant in MUTANTS}
    if unknown:
        sys.exit(f"audit mutants: no mutant {', '.join(sorted(unknown))}")
    COPY.mkdir(exist_ok=True)
    copy()
    if problem := build():
        sys.exit(f"audit mutants: the unchanged sources don't build:\n{problem}")
    passed, output = audit()
    if not passed:
        sys.exit(f"audit mutants: the unchanged sources don't pass: {output}")
    failures = [(mutant[0], reason) for mutant in MUTANTS if not names or mutant[0] in names
                if (reason := survives(*mutant))]
    for name, reason in failures:
        print(f"audit mutants: {name}: {reason}", file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
