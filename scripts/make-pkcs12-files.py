#!/usr/bin/env python3
"""Makes Fixtures/Certificates/PKCS12: the identities of "ana" and "bo" as PKCS#12 in the forms that programs write.

It needs Debian's openssl, openjdk-17-jdk-headless, libnss3-tools, gnutls-bin and libbcpkix-java, and installs PyPI's cryptography in
a temporary folder. `cases.json` isn't written: it says what a test expects of each file. The files have random salts, so they come
out different each time. Files of other projects stay as they are (README.md beside them).
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import venv

PACKAGE = "cryptography==46.0.3"
ROOT = pathlib.Path(__file__).resolve().parent.parent
CERTIFICATES = ROOT / "Fixtures" / "Certificates"
TARGET = CERTIFICATES / "PKCS12"
PASSPHRASE = "open sesame"
ACCENTS = "sésame 世界"

# The names, and the options of `openssl pkcs12 -export`.
OPENSSL = {
    "3des": ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1"],
    "rc2-128": ["-legacy", "-keypbe", "PBE-SHA1-RC2-128", "-certpbe", "PBE-SHA1-RC2-128", "-macalg", "sha1"],
    "rc2-40-key": ["-legacy", "-keypbe", "PBE-SHA1-RC2-40", "-certpbe", "PBE-SHA1-RC2-40", "-macalg", "md5"],
    "rc4": ["-legacy", "-keypbe", "PBE-SHA1-RC4-128", "-certpbe", "PBE-SHA1-RC4-40", "-macalg", "sha1"],
    "des": ["-legacy", "-keypbe", "PBE-MD5-DES", "-certpbe", "PBE-SHA1-DES", "-macalg", "sha1"],
    "pbes2-des": ["-legacy", "-keypbe", "des-cbc", "-certpbe", "des-cbc"],
    "camellia": ["-keypbe", "camellia-256-cbc", "-certpbe", "camellia-256-cbc", "-macalg", "sha512"],
    "ripemd": ["-legacy", "-macalg", "ripemd160"],
    "no-iterations": ["-legacy", "-noiter", "-nomaciter"],
    "few-iterations": ["-iter", "20"],
    # -nomac also means -certpbe NONE.
    "no-mac": ["-nomac", "-certpbe", "AES-256-CBC"],
    "no-mac-plain": ["-nomac", "-keypbe", "NONE"],
    "no-mac-plain-certificates": ["-nomac"],
    "plain": ["-keypbe", "NONE", "-certpbe", "NONE"],
    "no-mac-legacy": ["-legacy", "-nomac", "-certpbe", "PBE-SHA1-RC2-40"],
}
GNUTLS = {"gnutls": [], "gnutls-3des": ["--pkcs-cipher=3des-pkcs12"], "gnutls-rc2-40": ["--pkcs-cipher=rc2-40"],
          "gnutls-arcfour": ["--pkcs-cipher=arcfour"], "gnutls-aes-256": ["--pkcs-cipher=aes-256"]}
# The ciphers of pk12util's -c and -C.
NSS = {"nss": [], "nss-legacy": ["-c", "PKCS #12 V2 PBE With SHA-1 And 3KEY Triple DES-CBC", "-C",
                                 "PKCS #12 V2 PBE With SHA-1 And 40 Bit RC2 CBC"]}
JAVA = {
    "java": [],
    "java-legacy": ["-J-Dkeystore.pkcs12.legacy"],
    "java-plain-certificates": ["-J-Dkeystore.pkcs12.certProtectionAlgorithm=NONE", "-J-Dkeystore.pkcs12.macAlgorithm=NONE"],
}
BOUNCY_CASTLE = {"bouncycastle": "PKCS12", "bouncycastle-3des": "PKCS12-3DES-3DES"}
BOUNCY_CASTLE_PROGRAM = """
import java.io.*;
import java.security.*;

public class Convert {
    public static void main(String[] args) throws Exception {
        Security.addProvider(new org.bouncycastle.jce.provider.BouncyCastleProvider());
        char[] passphrase = args[3].toCharArray();
        KeyStore from = KeyStore.getInstance("PKCS12", "SunJSSE");
        from.load(new FileInputStream(args[0]), passphrase);
        KeyStore to = args[2].equals("SunJSSE") ? KeyStore.getInstance("PKCS12", "SunJSSE") : KeyStore.getInstance(args[2], "BC");
        to.load(null, null);
        String name = from.aliases().nextElement();
        char[] other = args[2].equals("SunJSSE") ? "another".toCharArray() : null;
        to.setKeyEntry(name, from.getKey(name, passphrase), other, from.getCertificateChain(name));
        try (OutputStream out = new FileOutputStream(args[1])) { to.store(out, passphrase); }
    }
}
"""
PYTHON_PROGRAM = """
import hashlib, hmac, pathlib, sys
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.serialization import pkcs12
key, certificates, target, passphrase = sys.argv[1:]
key = serialization.load_pem_private_key(pathlib.Path(key).read_bytes(), None)
chain = x509.load_pem_x509_certificates(pathlib.Path(certificates).read_bytes())
own = [each for each in chain if each.public_key() == key.public_key()][0]
chain = [each for each in chain if each != own]
v1 = (serialization.PrivateFormat.PKCS12.encryption_builder().kdf_rounds(5000)
      .key_cert_algorithm(pkcs12.PBES.PBESv1SHA1And3KeyTripleDESCBC).hmac_hash(hashes.SHA1()).build(passphrase.encode()))

# A MAC of the kind PBMAC1 (RFC 9579), for the file without a MAC; OpenSSL reads it from version 3.4 on, so as this package's.
def der(tag, *parts):
    content = b"".join(parts)
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([0x80 + (size.bit_length() + 7) // 8]) + size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag]) + length + content

def number(value):
    return der(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))

def pbmac1(bare, passphrase):
    content = bare[bare.index(bytes.fromhex("06092a864886f70d010701a0")) + 11:]
    size = lambda data: data[1] if data[1] < 128 else int.from_bytes(data[2:2 + data[1] - 128], "big")
    for _ in range(2):
        content = content[-size(content):]
    salt, rounds = bytes(range(8)), 2048
    mac = hmac.digest(hashlib.pbkdf2_hmac("sha256", passphrase, salt, rounds, 32), content, "sha256")
    prf = der(0x30, bytes.fromhex("06082a864886f70d0209"), der(5))
    derivation = der(0x30, bytes.fromhex("06092a864886f70d01050c"), der(0x30, der(4, salt), number(rounds), number(32), prf))
    algorithm = der(0x30, bytes.fromhex("06092a864886f70d01050e"), der(0x30, derivation, prf))
    body = bare[2 + (bare[1] - 128):]
    return der(0x30, body, der(0x30, der(0x30, algorithm, der(4, mac)), der(4, b"NOT USED"), number(1)))

bare = pathlib.Path(target, "openssl-no-mac.p12").read_bytes()
made = pbmac1(bare, passphrase.encode())
assert pkcs12.load_key_and_certificates(made, passphrase.encode())[0].private_numbers() == key.private_numbers()
try:
    pkcs12.load_key_and_certificates(made[:-20] + b"x" + made[-19:], passphrase.encode())
    sys.exit("a wrong PBMAC1 was accepted")
except ValueError:
    pathlib.Path(target, "pbmac1.p12").write_bytes(made)

for name, encryption in [("python", serialization.BestAvailableEncryption(passphrase.encode())), ("python-3des", v1),
                         ("python-plain", serialization.NoEncryption())]:
    pathlib.Path(target, name + ".p12").write_bytes(pkcs12.serialize_key_and_certificates(b"ana", key, own, chain, encryption))
"""


def run(*arguments, **options):
    done = subprocess.run([str(each) for each in arguments], capture_output=True, **options)
    if done.returncode:
        sys.exit(f"make-pkcs12-files: {arguments[0]} failed:\n{done.stdout.decode()}{done.stderr.decode()}")
    return done


def openssl(work):
    def export(name, options, passphrase=PASSPHRASE, key="client.key", certificates="chain.pem"):
        run("openssl", "pkcs12", "-export", "-inkey", CERTIFICATES / key, "-in", certificates, "-name", "ana",
            "-out", TARGET / f"{name}.p12", "-passout", f"pass:{passphrase}", *options, cwd=CERTIFICATES)

    for name, options in OPENSSL.items():
        export(f"openssl-{name}", options)
    export("openssl-accents", [], ACCENTS)
    export("openssl-accents-legacy", ["-legacy"], ACCENTS)
    export("openssl-empty", [], "")
    export("openssl-empty-legacy", ["-legacy"], "")
    bo = work / "bo.pem"
    run("openssl", "req", "-x509", "-new", "-key", CERTIFICATES / "other.key", "-subj", "/CN=bo", "-days", "36500", "-out", bo)
    run("openssl", "pkcs12", "-export", "-inkey", CERTIFICATES / "other.key", "-in", bo, "-name", "bo", "-out", work / "bo.p12",
        "-passout", f"pass:{PASSPHRASE}")


def java(work):
    source = CERTIFICATES / "client.p12"

    def convert(target, *options, source=source, alias="1", to="ana"):
        run("keytool", "-importkeystore", "-noprompt", "-srcstoretype", "PKCS12", "-srckeystore", source, "-srcstorepass", PASSPHRASE,
            "-srcalias", alias, "-deststoretype", "PKCS12", "-destkeystore", target, "-deststorepass", PASSPHRASE, "-destalias", to,
            *options)

    named = work / "ana.p12"
    run("openssl", "pkcs12", "-export", "-inkey", CERTIFICATES / "client.key", "-in", CERTIFICATES / "chain.pem", "-name", "ana",
        "-out", named, "-passout", f"pass:{PASSPHRASE}")
    for name, options in JAVA.items():
        target = TARGET / f"{name}.p12"
        target.unlink(missing_ok=True)
        convert(target, *options, source=named, alias="ana")
    two = TARGET / "java-two-keys.p12"
    two.unlink(missing_ok=True)
    convert(two, source=named, alias="ana")
    convert(two, source=work / "bo.p12", alias="bo", to="bo")
    run("keytool", "-genseckey", "-alias", "secret", "-keyalg", "AES", "-keysize", "256", "-keystore", two, "-storepass", PASSPHRASE)
    trusted = TARGET / "java-trusted.p12"
    trusted.unlink(missing_ok=True)
    run("keytool", "-importcert", "-noprompt", "-alias", "bo", "-file", work / "bo.pem", "-keystore", trusted, "-storetype", "PKCS12",
        "-storepass", PASSPHRASE)
    program = work / "Convert.java"
    program.write_text(BOUNCY_CASTLE_PROGRAM)
    for name, kind in {**BOUNCY_CASTLE, "java-two-passphrases": "SunJSSE"}.items():
        run("java", "-cp", "/usr/share/java/bcprov.jar", program, named, TARGET / f"{name}.p12", kind, PASSPHRASE)


def nss(work):
    database = work / "nss"
    database.mkdir()
    (database / "empty").write_text("\n")
    (database / "passphrase").write_text(PASSPHRASE + "\n")
    where = ["-d", f"sql:{database}", "-k", database / "empty"]
    run("certutil", "-N", "-d", f"sql:{database}", "--empty-password")
    run("pk12util", "-i", work / "ana.p12", "-w", database / "passphrase", *where)
    for name, options in NSS.items():
        run("pk12util", "-o", TARGET / f"{name}.p12", "-n", "ana", "-w", database / "passphrase", *options, *where)


def gnutls(work):
    def pack(name, *options):
        # GnuTLS wants the chain in order.
        run("certtool", "--to-p12", "--outder", "--load-privkey", CERTIFICATES / "client.key", "--load-certificate", work / "ordered.pem",
            "--p12-name", "ana", "--outfile", TARGET / f"{name}.p12", *options)

    run("openssl", "pkcs12", "-in", work / "ana.p12", "-nokeys", "-passin", f"pass:{PASSPHRASE}", "-out", work / "ordered.pem")
    for name, options in GNUTLS.items():
        pack(name, f"--password={PASSPHRASE}", *options)
    pack("gnutls-null", "--null-password", "--pkcs-cipher=3des-pkcs12")
    pack("gnutls-empty", "--empty-password", "--pkcs-cipher=3des-pkcs12")


def python(work):
    environment = work / "venv"
    venv.create(environment, with_pip=True)
    run(environment / "bin" / "pip", "install", "--quiet", PACKAGE)
    run(environment / "bin" / "python", "-c", PYTHON_PROGRAM, CERTIFICATES / "client.key", CERTIFICATES / "chain.pem", TARGET, PASSPHRASE)


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for make in (openssl, java, nss, gnutls, python):
            make(pathlib.Path(folder))
    for path in TARGET.glob("*.p12"):
        path.chmod(0o644)
    print(f"made {len(list(TARGET.glob('*.p12')))} files in {TARGET.relative_to(ROOT)}")
