"""This module says what is wrong with the schema of a tool that somebody else wrote. Pure."""

from collections.abc import Mapping

import msgspec

from pipeline.realtime.function_schema import schema_refusal

MOST_BYTES = 8_000


def schema_fault(schema: object) -> str:
    """Why a model cannot be given these parameters; empty: it can.

    One that a pipeline refuses would cost a call all its tools.
    """
    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        return "its parameters are no object"
    if len(msgspec.json.encode(schema, enc_hook=str)) > MOST_BYTES:
        return f"its schema has more than {MOST_BYTES:,} bytes"
    refusal = schema_refusal(schema)
    return f"its schema is not served: {refusal}" if refusal else ""
