"""What a database can keep of texts that come out of files: PostgreSQL keeps no character of number zero in any."""

from typing import Any

SIGN = "\N{SYMBOL FOR NULL}"


def storable(value: Any) -> Any:
    """The same value (of JSON's types) with that character's sign in its place, in texts and in names."""
    if isinstance(value, str):
        return value.replace("\0", SIGN)
    if isinstance(value, dict):
        return {name.replace("\0", SIGN): storable(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [storable(one) for one in value]
    return value
