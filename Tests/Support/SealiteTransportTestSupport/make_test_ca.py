#!/usr/bin/python3
"""Makes the certificates of the transport's tests in a folder: a root, an intermediate, and leaves with every fault."""
import datetime
import ipaddress
import pathlib
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

folder = pathlib.Path(sys.argv[1])
now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
day = datetime.timedelta(days=1)


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def make(label, issuer=None, *, is_ca=False, hosts=(), begin=-1, end=30, key=None, usage=ExtendedKeyUsageOID.SERVER_AUTH):
    """One certificate; issuer is a pair of certificate and key, nil for self-signed."""
    key = key or ec.generate_private_key(ec.SECP256R1())
    issuer_name, issuer_key = (issuer[0].subject, issuer[1]) if issuer else (name(label), key)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name(label)).issuer_name(issuer_name).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + begin * day).not_valid_after(now + end * day)
        .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
    )
    if not is_ca:
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
    names = []
    for host in hosts:
        try:
            names.append(x509.IPAddress(ipaddress.ip_address(host)))
        except ValueError:
            names.append(x509.DNSName(host))
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    certificate = builder.sign(issuer_key, hashes.SHA256())
    encodings = serialization.Encoding
    (folder / f"{label}.der").write_bytes(certificate.public_bytes(encodings.DER))
    (folder / f"{label}.pem").write_bytes(certificate.public_bytes(encodings.PEM))
    for suffix, encoding in (("key", encodings.DER), ("key.pem", encodings.PEM)):
        path = folder / f"{label}.{suffix}"
        path.touch(mode=0o600)
        path.write_bytes(
            key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return certificate, key


HERE = ("localhost", "127.0.0.1", "::1")
CLIENT = ExtendedKeyUsageOID.CLIENT_AUTH
root = make("root", is_ca=True)
other_root = make("other-root", is_ca=True)
intermediate = make("intermediate", root, is_ca=True)
server = make("server", intermediate, hosts=HERE)
make("server-renewed", intermediate, hosts=HERE, key=server[1])
make("server-next", intermediate, hosts=HERE)
make("expired", intermediate, hosts=HERE, begin=-30, end=-1)
make("not-yet", intermediate, hosts=HERE, begin=10)
make("wrong-host", intermediate, hosts=("elsewhere.example",))
make("for-clients-only", intermediate, hosts=HERE, usage=CLIENT)
make("by-no-authority", server, hosts=HERE)
make("self-signed", hosts=HERE)
make("self-signed-expired", hosts=HERE, begin=-30, end=-1)
make("client", root, usage=CLIENT)
make("client-expired", root, begin=-30, end=-1, usage=CLIENT)
make("client-of-other", other_root, usage=CLIENT)
