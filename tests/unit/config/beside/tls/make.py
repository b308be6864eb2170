#!/usr/bin/env python3
"""Makes the certificates of this folder again, with new keys: needs the Python package cryptography. They are valid for
a hundred years, so that no test depends on the day; their keys are public, so nobody may use them elsewhere."""

import datetime
import pathlib
import subprocess

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

FOLDER = pathlib.Path(__file__).parent
DAY = datetime.timedelta(days=1)
BEGIN = datetime.datetime(2024, 1, 1)
END = BEGIN + 36500 * DAY


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(key, subject, names, signer=None, issuer=None, begin=BEGIN, end=END, authority=False):
    builder = (x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer or subject))
               .public_key(key.public_key()).serial_number(x509.random_serial_number())
               .not_valid_before(begin).not_valid_after(end)
               .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True))
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(signer or key, hashes.SHA256())


def pem(*certificates):
    return b"".join(each.public_bytes(serialization.Encoding.PEM) for each in certificates)


def private(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                             serialization.NoEncryption())


def dns(*names):
    return [x509.DNSName(each) for each in names]


def main():
    write = lambda file, content: (FOLDER / file).write_bytes(content)
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = certificate(authority_key, "authority", [], authority=True)
    signed = {"signer": authority_key, "issuer": "authority"}
    key = ec.generate_private_key(ec.SECP256R1())
    good = certificate(key, "good", dns("a.example", "*.wild.example", "localhost", "test.example"), **signed)
    other = certificate(key, "other", dns("b.example", "A.example"), **signed)
    rsa_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    rsa_certificate = certificate(rsa_key, "rsa", dns("a.example", "rsa.example"), **signed)
    write("ca.pem", pem(authority))
    write("ca.key", private(authority_key))
    write("good.pem", pem(good, authority))
    write("good.key", private(key))
    write("other.pem", pem(other))
    write("rsa.pem", pem(rsa_certificate, authority))
    write("rsa.key", private(rsa_key))
    write("reversed.pem", pem(authority, good))
    write("stray.pem", pem(good, other))
    write("nameless.pem", pem(certificate(key, "nameless", [], **signed)))
    write("ended.pem", pem(certificate(key, "ended", dns("ended.example"), end=BEGIN + 30 * DAY, **signed)))
    write("to-come.pem", pem(certificate(key, "to-come", dns("to-come.example"), begin=END - 30 * DAY, **signed)))
    locked = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                               serialization.BestAvailableEncryption(b"passphrase"))
    write("locked.key", locked)
    # The package makes no key that is so short.
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:768", "-nodes", "-days", "36000", "-subj", "/CN=weak",
                    "-addext", "subjectAltName=DNS:weak.example", "-keyout", FOLDER / "weak.key",
                    "-out", FOLDER / "weak.pem"], check=True)


if __name__ == "__main__":
    main()
