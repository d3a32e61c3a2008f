"""Whether calls are recorded, by variables."""

from pathlib import Path

from agent.settings.environment import EnvironmentReader, SettingsError
from agent.settings.records import RecordSettings, record_settings

SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"


def read(**environ: str) -> RecordSettings | None:
    reader = EnvironmentReader(environ)
    settings = record_settings(reader)
    reader.check()
    return settings


def faults(**environ: str) -> list[str]:
    try:
        read(**environ)
    except SettingsError as error:
        return error.faults
    return []


def test_nothing_is_recorded_unless_a_folder_is_named() -> None:
    assert read() is None
    assert read(AURA_RECORDS="/records") == RecordSettings(Path("/records"), days=30)


def test_a_webhook_is_signed_by_the_bytes_of_its_secret() -> None:
    settings = read(
        AURA_RECORDS="/records",
        AURA_RECORDS_DAYS="7",
        AURA_RECORDS_WEBHOOK="https://example.org/calls",
        AURA_RECORDS_SECRET=SECRET,
    )
    assert settings
    assert (settings.days, settings.webhook) == (7, "https://example.org/calls")
    assert settings.secret == b"012345678901234567890123"
    assert "0123" not in repr(settings)


def test_a_webhook_without_a_secret_is_refused() -> None:
    told = faults(AURA_RECORDS="/records", AURA_RECORDS_WEBHOOK="https://example.org/calls")
    assert told == ["AURA_RECORDS_SECRET is not set: AURA_RECORDS_WEBHOOK is not told anything unsigned"]


def test_every_fault_is_told_and_no_secret() -> None:
    short = {"AURA_RECORDS": "/r", "AURA_RECORDS_WEBHOOK": "ftp://example.org", "AURA_RECORDS_SECRET": "hunter2"}
    assert faults(**short, AURA_RECORDS_DAYS="0") == [
        "AURA_RECORDS_WEBHOOK must begin with http:// or https://",
        "AURA_RECORDS_DAYS must be a number from 1 to 3650",
        "AURA_RECORDS_SECRET must have 16 bytes or more",
    ]
    broken = {**short, "AURA_RECORDS_WEBHOOK": "https://example.org", "AURA_RECORDS_SECRET": "whsec_ü"}
    assert faults(**broken) == ["AURA_RECORDS_SECRET: what stands behind `whsec_` is no base64"]


def test_variables_that_say_nothing_without_a_folder_are_refused() -> None:
    assert faults(AURA_RECORDS_DAYS="7") == ["AURA_RECORDS_DAYS says nothing without AURA_RECORDS"]
