"""Certificates: what is wrong with one, and a local authority for networks that no public one vouches for.

The authority vouches for the host of this installation and nothing else (name constraints, RFC 5280, section 4.2.1.10),
so whoever takes its key cannot stand in for another site. That key is made here, and only its owner can read it.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

ROOT_LIFETIME = timedelta(days=3_650)
LIFETIME = timedelta(days=397)  # more is refused by some browsers
RENEWED_WITH = timedelta(days=60)  # or less of it left, at a start
NO_NAME = "aura.invalid"  # where only addresses are vouched for; RFC 2606: nobody has it


@dataclass(frozen=True, slots=True)
class LocalCertificate:
    """Files in PEM: what the server shows, its key, and the root that devices must trust."""

    certificate: Path
    key: Path
    root: Path


def local_certificate(folder: Path, hosts: Sequence[str], now: datetime) -> LocalCertificate:
    """The certificate for these hosts; it and its authority are made where they lack, or no longer fit.

    Args:
        hosts: Names and addresses.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    files = LocalCertificate(folder / "server.pem", folder / "server.key", folder / "root.pem")
    root = _read(files.root)
    root_key = folder / "root.key"
    if root is None or not root_key.exists() or not _serves(root, hosts, now):
        root = _make_root(files.root, root_key, hosts, now)
        files.certificate.unlink(missing_ok=True)
    shown = _read(files.certificate)
    if shown is None or not files.key.exists() or shown.not_valid_after_utc < now + RENEWED_WITH:
        _make_shown(files, root, root_key, hosts, now)
    return files


def certificate_faults(certificate: Path, key: Path, host: str, now: datetime) -> list[str]:
    """What is wrong with a certificate and its key, for a host; a sentence each."""
    try:
        shown = x509.load_pem_x509_certificates(certificate.read_bytes())[0]
    except (OSError, ValueError) as error:
        return [f"--cert: {certificate} cannot be read: {_why(error)}"]
    faults = []
    if shown.not_valid_after_utc <= now:
        faults.append(f"--cert: {certificate} has expired, on {shown.not_valid_after_utc:%d %B %Y}: get a new one")
    if shown.not_valid_before_utc > now:
        faults.append(f"--cert: {certificate} is not valid before {shown.not_valid_before_utc:%d %B %Y}")
    if not any(_fits(name, host) for name in _names(shown)):
        there = ", ".join(_names(shown)) or "nobody"
        faults.append(f"--cert: {certificate} is for {there}, not for {host}")
    try:
        own = serialization.load_pem_private_key(key.read_bytes(), None)
        if own.public_key() != shown.public_key():
            faults.append(f"--key: {key} is not the key of {certificate}")
    except (OSError, ValueError, TypeError) as error:
        faults.append(f"--key: {key} cannot be read: {_why(error)}")
    return faults


def fingerprint(root: Path) -> str:
    """SHA-256 of a certificate, as devices show it."""
    digest = x509.load_pem_x509_certificate(root.read_bytes()).fingerprint(hashes.SHA256())
    return digest.hex(":").upper()


def _why(error: Exception) -> str:
    match error:
        case OSError():
            return error.strerror or "it is not there"
        case TypeError():
            return "it asks for a password"
    return "it is no PEM file of that kind"


def _names(certificate: x509.Certificate) -> list[str]:
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    return [*found.get_values_for_type(x509.DNSName), *map(str, found.get_values_for_type(x509.IPAddress))]


def _fits(name: str, host: str) -> bool:
    """Whether a name of a certificate covers a host; `*` stands for one label."""
    if name.startswith("*."):
        return host.lower().partition(".")[2] == name[2:].lower()
    return name.lower() == host.lower()


def _serves(root: x509.Certificate, hosts: Sequence[str], now: datetime) -> bool:
    return root.not_valid_after_utc >= now + LIFETIME and _permits(root) == set(hosts)


def _permits(root: x509.Certificate) -> set[str]:
    try:
        limits = root.extensions.get_extension_for_class(x509.NameConstraints).value
    except x509.ExtensionNotFound:
        return set()
    permitted = limits.permitted_subtrees or []
    return {str(_bare(each.value)) for each in permitted} - {NO_NAME}


def _bare(value: object) -> object:
    return value.network_address if isinstance(value, IPv4Network | IPv6Network) else value


def _general(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _limits(hosts: Sequence[str]) -> x509.NameConstraints:
    """Only these: where no name or no address is among them, none that there could be is permitted."""
    general = [_general(host) for host in hosts]
    names: list[x509.GeneralName] = [each for each in general if isinstance(each, x509.DNSName)]
    nets = [ip_network(each.value) for each in general if isinstance(each, x509.IPAddress)]
    every = [ip_network("0.0.0.0/0"), ip_network("::/0")]
    excluded = [net for net in every if all(net.version != each.version for each in nets)]
    return x509.NameConstraints(
        permitted_subtrees=[*(names or [x509.DNSName(NO_NAME)]), *map(x509.IPAddress, nets)],
        excluded_subtrees=list(map(x509.IPAddress, excluded)) or None,
    )


def _make_root(path: Path, key_path: Path, hosts: Sequence[str], now: datetime) -> x509.Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name(f"AURA at {hosts[0]}, {now:%Y-%m-%d}")
    usage = _usage(signs=True)
    made = (
        _builder(name, name, key.public_key(), now, ROOT_LIFETIME)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_limits(hosts), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    _write_key(key_path, key)
    _write(path, made.public_bytes(serialization.Encoding.PEM), 0o644)
    return made


def _make_shown(
    files: LocalCertificate, root: x509.Certificate, root_key: Path, hosts: Sequence[str], now: datetime
) -> None:
    signer = serialization.load_pem_private_key(root_key.read_bytes(), None)
    assert isinstance(signer, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    made = (
        # OpenSSL takes a common name with dots in it for a name, to which the authority is not limited.
        _builder(_name("AURA server"), root.subject, key.public_key(), now, LIFETIME)
        .add_extension(x509.SubjectAlternativeName(map(_general, hosts)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
        .sign(signer, hashes.SHA256())
    )
    _write_key(files.key, key)
    _write(files.certificate, made.public_bytes(serialization.Encoding.PEM), 0o644)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, lifetime: timedelta
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))  # the clock of a phone may be behind
        .not_valid_after(now + lifetime)
    )


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common[:64])])


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _read(path: Path) -> x509.Certificate | None:
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError):
        return None


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    _write(path, pem, 0o600)


def _write(path: Path, content: bytes, mode: int) -> None:
    partial = path.with_suffix(path.suffix + ".partial")
    partial.unlink(missing_ok=True)
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
    partial.replace(path)
