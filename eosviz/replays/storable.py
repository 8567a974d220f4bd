"""Makes texts from files acceptable for the database: PostgreSQL stores no text with the character U+0000."""

from typing import Any

SIGN = "\N{SYMBOL FOR NULL}"


def storable(value: Any) -> Any:
    """A JSON value with SIGN in place of each U+0000, in texts and in the names of fields."""
    if isinstance(value, str):
        return value.replace("\0", SIGN)
    if isinstance(value, dict):
        return {name.replace("\0", SIGN): storable(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [storable(one) for one in value]
    return value
