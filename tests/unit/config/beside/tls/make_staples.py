#!/usr/bin/env python3
"""Makes the OCSP responses of this folder again, for the certificates that are here: needs the Python package
cryptography. They are valid for as long as the certificates, unless their name says otherwise."""

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509 import ocsp
from cryptography.x509.oid import ExtendedKeyUsageOID

from make import BEGIN, DAY, END, FOLDER, name

GOOD = ocsp.OCSPCertStatus.GOOD


def main():
    content = lambda file: (FOLDER / file).read_bytes()
    certificates = {each: x509.load_pem_x509_certificate(content(each + ".pem")) for each in ("good", "rsa", "ca")}
    keys = {each: serialization.load_pem_private_key(content(each + ".key"), None) for each in ("good", "rsa", "ca")}
    authority = certificates["ca"]

    def write(file, of="good", status=GOOD, begin=BEGIN, end=END, signer=authority, key=keys["ca"]):
        revoked = BEGIN if status == ocsp.OCSPCertStatus.REVOKED else None
        builder = (ocsp.OCSPResponseBuilder()
                   .add_response(cert=certificates[of], issuer=authority, algorithm=hashes.SHA1(), cert_status=status,
                                 this_update=begin, next_update=end, revocation_time=revoked, revocation_reason=None)
                   .responder_id(ocsp.OCSPResponderEncoding.NAME, signer))
        if signer is not authority:
            builder = builder.certificates([signer])
        signed = builder.sign(key, hashes.SHA256())
        (FOLDER / file).write_bytes(signed.public_bytes(serialization.Encoding.DER))

    def responder(end, *usages, called="responder"):
        key = keys["rsa"]
        builder = (x509.CertificateBuilder().subject_name(name(called)).issuer_name(authority.subject)
                   .public_key(key.public_key()).serial_number(x509.random_serial_number())
                   .not_valid_before(BEGIN).not_valid_after(end))
        if usages:
            builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        return {"signer": builder.sign(keys["ca"], hashes.SHA256()), "key": key}

    write("good.staple")
    write("rsa.staple", of="rsa")
    write("ended.staple", end=BEGIN + 30 * DAY)
    write("to-come.staple", begin=END - 30 * DAY)
    write("endless.staple", end=None)
    write("revoked.staple", status=ocsp.OCSPCertStatus.REVOKED)
    write("unknown.staple", status=ocsp.OCSPCertStatus.UNKNOWN)
    write("forged.staple", **responder(END, called="authority"))
    write("delegated.staple", **responder(END - 30 * DAY, ExtendedKeyUsageOID.OCSP_SIGNING))
    write("usurped.staple", **responder(END))  # its signer may not sign responses
    refusal = ocsp.OCSPResponseBuilder.build_unsuccessful(ocsp.OCSPResponseStatus.TRY_LATER)
    (FOLDER / "refusal.staple").write_bytes(refusal.public_bytes(serialization.Encoding.DER))


if __name__ == "__main__":
    main()
