#!/usr/bin/env python3
"""Cuts the published test vectors down to what Sealite's algorithms take, into Fixtures/Vectors/*.json.

Needs the PyPI package cryptography-vectors, best in a virtual environment that is thrown away:

    python3 -m venv /tmp/vectors && /tmp/vectors/bin/pip install cryptography-vectors==50.0.2
    /tmp/vectors/bin/python scripts/cut-vectors.py
    python3 scripts/embed-vectors.py

Every file has one schema: `suite`, `source`, `sha256` (of the original file; null where the cases were copied from a
document by hand), `count`, `parameters` (what all cases share) and `cases`. Bytes are lowercase hex, numbers decimal.
Every case has an `id` and an `expect`: `success`, or the class of the failure that an implementation must report.
"""

import hashlib
import json
import pathlib
import re

import cryptography_vectors

ORIGINALS = pathlib.Path(cryptography_vectors.__file__).parent
PACKAGE = f"PyPI cryptography-vectors {cryptography_vectors.__version__}"
TARGET = pathlib.Path(__file__).resolve().parent.parent / "Fixtures" / "Vectors"


def read(path):
    data = (ORIGINALS / path).read_bytes()
    return data.decode("ascii"), hashlib.sha256(data).hexdigest()


def write(name, suite, source, digest, cases, parameters=None):
    identifiers = [case["id"] for case in cases]
    assert len(set(identifiers)) == len(identifiers), name
    document = {
        "suite": suite,
        "source": source,
        "sha256": digest,
        "count": len(cases),
        "parameters": parameters or {},
        "cases": cases,
    }
    head = json.dumps({key: value for key, value in document.items() if key != "cases"}, indent=2)
    lines = ",\n".join("    " + json.dumps(case) for case in cases)
    (TARGET / f"{name}.json").write_text(f'{head[:-2]},\n  "cases": [\n{lines}\n  ]\n}}\n')
    print(f"{name}: {len(cases)} cases")


def fields(text):
    """The records of a NIST response file: the lines in brackets in force, and the fields."""
    section, record = {}, {}
    for line in text.splitlines() + [""]:
        line = line.strip()
        if line.startswith("#"):
            continue
        if match := re.fullmatch(r"\[(\w+) = (\w+)\]", line):
            section[match[1]] = match[2]
        elif match := re.fullmatch(r"(\w+) =\s*(.*)", line):
            record[match[1]] = match[2]
        elif line == "FAIL":
            record["FAIL"] = True
        elif not line and record:
            yield dict(section), record
            record = {}


def cut_gcm(name, path, suite):
    text, digest = read(path)
    cases = []
    for section, record in fields(text):
        if section["IVlen"] != "96" or section["Taglen"] != "128":
            continue
        case = {
            "id": f"PTlen {section['PTlen']} AADlen {section['AADlen']} Count {record['Count']}",
            "expect": "authentication failed" if "FAIL" in record else "success",
            "key": record["Key"],
            "nonce": record["IV"],
            "associatedData": record["AAD"],
            "ciphertext": record["CT"],
            "tag": record["Tag"],
        }
        if "FAIL" not in record:
            case["plaintext"] = record["PT"]
        cases.append(case)
    source = f"NIST CAVP (CAVS 14.0) {path.split('/')[-1]}, 96-bit nonce and 128-bit tag, from {PACKAGE}"
    write(name, suite, source, digest, cases)


def cut_digest(name, path, suite):
    text, digest = read(path)
    cases = []
    for _, record in fields(text):
        if "Msg" not in record:
            continue
        length = int(record["Len"])
        assert length % 8 == 0
        message = record["Msg"] if length else ""
        assert len(message) == length // 4
        cases.append({"id": f"Len {length}", "expect": "success", "message": message, "digest": record["MD"]})
    write(name, suite, f"NIST CAVP {path.split('/')[-1]} (byte-oriented), from {PACKAGE}", digest, cases)


def cut_hmac():
    text, digest = read("HMAC/rfc-4231-sha256.txt")
    cases, record = [], {}
    numbers = iter([1, 2, 3, 4, 6, 7])
    for line in text.splitlines():
        if match := re.fullmatch(r"(\w+) = (.*)", line.strip()):
            record[match[1]] = match[2]
            if match[1] == "MD":
                cases.append(
                    {
                        "id": f"test case {next(numbers)}",
                        "expect": "success",
                        "key": record["Key"],
                        "message": record["Msg"],
                        "code": record["MD"],
                    }
                )
    # RFC 4231 §4.6, which the package leaves out: the code cut to 128 bits.
    cases.append(
        {
            "id": "test case 5",
            "expect": "truncated",
            "key": "0c" * 20,
            "message": b"Test With Truncation".hex(),
            "code": "a3b6167473100ee06e0c796c2955552b",
        }
    )
    write("hmac-sha256", "HMAC-SHA-256", f"RFC 4231, from {PACKAGE}; test case 5 from the RFC", digest, cases)


def cut_hkdf():
    text, digest = read("KDF/rfc-5869-HKDF-SHA256.txt")
    cases, record = [], {}
    for line in text.splitlines():
        if match := re.fullmatch(r"(\w+)\s*=\s*(.*)", line.strip()):
            record[match[1]] = match[2]
            if match[1] == "OKM":
                assert len(record["OKM"]) == 2 * int(record["L"])
                cases.append(
                    {
                        "id": f"A.{record['COUNT']}",
                        "expect": "success",
                        "inputKeyMaterial": record["IKM"],
                        "salt": record["salt"],
                        "info": record["info"],
                        "pseudorandomKey": record["PRK"],
                        "key": record["OKM"],
                    }
                )
    write("hkdf-sha256", "HKDF-SHA-256", f"RFC 5869 appendix A, from {PACKAGE}", digest, cases)


def text_bytes(text):
    return text.replace("\\0", "\0").encode("ascii").hex()


def cut_scrypt():
    text, digest = read("KDF/scrypt.txt")
    cases = []
    for _, record in fields(text):
        n = int(record["N"])
        assert n & (n - 1) == 0
        assert len(record["DERIVED_KEY"]) == 2 * int(record["LENGTH"])
        cases.append(
            {
                "id": f"N {n}",
                "expect": "success",
                "passphrase": text_bytes(record["PASSWORD"]),
                "salt": text_bytes(record["SALT"]),
                "logN": n.bit_length() - 1,
                "r": int(record["r"]),
                "p": int(record["p"]),
                "key": record["DERIVED_KEY"],
            }
        )
    write("scrypt", "scrypt", f"RFC 7914 section 12, from {PACKAGE}", digest, cases)


def cut_pbkdf2():
    text, digest = read("KDF/rfc-6070-PBKDF2-SHA1.txt")
    cases = []
    for _, record in fields(text):
        cases.append(
            {
                "id": f"case {int(record['COUNT']) + 1}",
                "expect": "success",
                "passphrase": text_bytes(record["PASSWORD"]),
                "salt": text_bytes(record["SALT"]),
                "iterations": int(record["ITERATIONS"]),
                "key": record["DERIVED_KEY"],
            }
        )
    write("pbkdf2-sha1", "PBKDF2-HMAC-SHA-1", f"RFC 6070, from {PACKAGE}", digest, cases)
    # RFC 7914 §11; checked here against Python's own implementation.
    cases = []
    for passphrase, salt, iterations, key in [
        (b"passwd", b"salt", 1,
         "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
         "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"),
        (b"Password", b"NaCl", 80000,
         "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
         "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d"),
    ]:
        computed = hashlib.pbkdf2_hmac("sha256", passphrase, salt, iterations, 64).hex()
        cases.append(
            {
                "id": f"c {iterations}",
                "expect": "success",
                "passphrase": passphrase.hex(),
                "salt": salt.hex(),
                "iterations": iterations,
                "key": key,
            }
        )
        assert computed == key, (computed, key)
    write("pbkdf2-sha256", "PBKDF2-HMAC-SHA-256", "RFC 7914 section 11", None, cases)


def cut_hpke(mode, mode_name, prefix):
    text, digest = read("HPKE/test-vectors.json")
    chosen = [
        vector
        for vector in json.loads(text)
        if (vector["mode"], vector["kem_id"], vector["kdf_id"], vector["aead_id"]) == (mode, 0x20, 1, 2)
    ]
    assert len(chosen) == 1
    vector = chosen[0]
    parameters = {
        "info": vector["info"],
        "privateKey": vector["skRm"],
        "publicKey": vector["pkRm"],
        "ephemeralKey": vector["skEm"],
        "encapsulatedKey": vector["enc"],
    }
    if mode == 1:
        parameters["preSharedKey"], parameters["preSharedKeyIdentifier"] = vector["psk"], vector["psk_id"]
    source = (
        f"RFC 9180 test vectors, mode {mode} ({mode_name}), KEM 0x0020 DHKEM(X25519, HKDF-SHA256), KDF 0x0001 HKDF-SHA256,"
        f" AEAD 0x0002 AES-256-GCM, from {PACKAGE}"
    )
    cases = [
        {
            "id": f"sequence number {index}",
            "expect": "success",
            "associatedData": message["aad"],
            "plaintext": message["pt"],
            "ciphertext": message["ct"],
        }
        for index, message in enumerate(vector["encryptions"])
    ]
    write(f"{prefix}-seal", f"HPKE {mode_name} mode, seal", source, digest, cases, parameters)
    cases = [
        {
            "id": f"export {index}",
            "expect": "success",
            "context": export["exporter_context"],
            "secret": export["exported_value"],
        }
        for index, export in enumerate(vector["exports"])
    ]
    for case, export in zip(cases, vector["exports"]):
        assert len(case["secret"]) == 2 * export["L"]
    write(f"{prefix}-export", f"HPKE {mode_name} mode, export", source, digest, cases, parameters)


def cut_key_wrap():
    text, digest = read("keywrap/kwtestvectors/KW_AD_256.txt")
    cases = []
    for section, record in fields(text.replace("[PLAINTEXT LENGTH", "[PTlen")):
        case = {
            "id": f"PTlen {section['PTlen']} Count {record['COUNT']}",
            "expect": "authentication failed" if "FAIL" in record else "success",
            "key": record["K"],
            "wrapped": record["C"],
        }
        # The long ones repeat what the others show, and would be most of the file.
        if int(section["PTlen"]) > 320:
            continue
        if "FAIL" not in record:
            case["secret"] = record["P"]
        cases.append(case)
    # A test spoils the last case, which must be one that has to be accepted.
    cases.sort(key=lambda case: case["expect"] == "success")
    source = f"NIST SP 800-38F KW-AD (CAVS 17.4) KW_AD_256.txt, up to 320 bits, from {PACKAGE}"
    write("aes-key-wrap", "AES-256 key wrap", source, digest, cases)


def cut_xaes():
    nonce = b"ABCDEFGHIJKLMNOPQRSTUVWX".hex()
    plaintext = b"XAES-256-GCM".hex()
    source = "C2SP XAES-256-GCM.md, test vectors"
    write(
        "xaes-256-gcm",
        "XAES-256-GCM",
        source,
        None,
        [
            {
                "id": "key 01",
                "expect": "success",
                "key": "01" * 32,
                "nonce": nonce,
                "associatedData": "",
                "plaintext": plaintext,
                "ciphertext": "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271",
            },
            {
                "id": "key 03",
                "expect": "success",
                "key": "03" * 32,
                "nonce": nonce,
                "associatedData": b"c2sp.org/XAES-256-GCM".hex(),
                "plaintext": plaintext,
                "ciphertext": "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d",
            },
        ],
    )
    write(
        "xaes-256-gcm-accumulated",
        "XAES-256-GCM, accumulated",
        source + ": keys, nonces, messages and associated data drawn from SHAKE-128, ciphertexts hashed with SHAKE-128",
        None,
        [
            {
                "id": "10,000 messages",
                "expect": "success",
                "messages": 10_000,
                "digest": "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939",
            },
            {
                "id": "1,000,000 messages",
                "expect": "success",
                "messages": 1_000_000,
                "digest": "2163ae1445985a30b60585ee67daa55674df06901b890593e824b8a7c885ab15",
            },
        ],
    )


TARGET.mkdir(parents=True, exist_ok=True)
cut_gcm("aes-256-gcm-seal", "ciphers/AES/GCM/gcmEncryptExtIV256.rsp", "AES-256-GCM, seal")
cut_gcm("aes-256-gcm-open", "ciphers/AES/GCM/gcmDecrypt256.rsp", "AES-256-GCM, open")
cut_digest("sha-1", "hashes/SHA1/SHA1ShortMsg.rsp", "SHA-1")
cut_digest("sha-256", "hashes/SHA2/SHA256ShortMsg.rsp", "SHA-256")
cut_digest("sha-512", "hashes/SHA2/SHA512ShortMsg.rsp", "SHA-512")
cut_hmac()
cut_hkdf()
cut_scrypt()
cut_pbkdf2()
cut_key_wrap()
cut_hpke(0, "base", "hpke")
cut_hpke(1, "PSK", "hpke-psk")
cut_xaes()
