"""This module says what is wrong with the schema of a tool that somebody else wrote. Pure."""

from collections.abc import Mapping

import msgspec
from jsonschema import SchemaError
from jsonschema.validators import validator_for

MOST_BYTES = 8_000


def schema_fault(schema: object) -> str:
    """Why a model cannot be given these parameters; empty: it can."""
    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        return "its parameters are no object"
    if len(msgspec.json.encode(schema, enc_hook=str)) > MOST_BYTES:
        return f"its schema has more than {MOST_BYTES:,} bytes"
    try:
        validator_for(schema).check_schema(schema)
    except SchemaError as error:
        return f"its schema is none: {error.message[:120]}"
    return ""
