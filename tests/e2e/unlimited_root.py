"""A local authority's root for PJSIP, whose OpenSSL (1.0.2) takes no certificate of an authority that is limited to
addresses: the same name and key, and no limits. What it vouches for is the same."""

from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def unlimited_root(tls: Path, into: Path) -> Path:
    """The file, in PEM.

    Args:
        tls: The authority's own folder.
        into: Where the file goes.
    """
    root = x509.load_pem_x509_certificate((tls / "root.pem").read_bytes())
    key = serialization.load_pem_private_key((tls / "root.key").read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    made = x509.CertificateBuilder(
        root.issuer,
        root.subject,
        root.public_key(),
        root.serial_number,
        root.not_valid_before_utc,
        root.not_valid_after_utc,
    )
    for extension in root.extensions:
        if not isinstance(extension.value, x509.NameConstraints):
            made = made.add_extension(extension.value, extension.critical)
    path = into / "unlimited-root.pem"
    path.write_bytes(made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    return path
