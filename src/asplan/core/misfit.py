r"""Messages about data that do not have the expected shape, in plain words.

msgspec has the reason and the path of the wrong value in the text of its error only.
"""

import re

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "array": "a list",
    "object": "an object",
    "bool": "true or false",
    "null": "null",
}
_BOUNDS = {">=": "of at least", "<=": "of at most", ">": "above", "<": "below"}

_EXPECTED = re.compile(r"Expected `([^`]+)`(?: ([<>]=?) (\d+)[.\d]*)?(?:, got `(\w+)`)?")
_MISSING = re.compile(r"Object missing required field `(.+)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(.+)`")
_NO_CHOICE = re.compile(r"Invalid enum value (.+)")


def describe_misfit(text: str) -> str:
    """Return the reason of an error of msgspec, after the path of the wrong value.

    >>> describe_misfit("Expected `array | null`, got `int` - at `$.plan`")
    'plan: must be a list, not a whole number'
    """
    why, path = split_misfit(text)
    return f"{path}: {why}" if path else why


def split_misfit(text: str) -> tuple[str, str]:
    """Return the reason of an error of msgspec, and the path of the value; empty for the whole.

    >>> split_misfit("Expected `int | null`, got `str` - at `$.limits.megabytes`")
    ('must be a whole number, not a text', 'limits.megabytes')
    >>> split_misfit("Expected `float` > 0.0 - at `$.limits.seconds`")
    ('must be a number above 0', 'limits.seconds')
    >>> split_misfit("Object missing required field `name`")
    ('the key name is missing', '')
    """
    why, _, place = text.partition(" - at ")
    return _plain_reason(why), place.replace("`", "").removeprefix("$").removeprefix(".")


def _plain_reason(why: str) -> str:
    if expected := _EXPECTED.fullmatch(why):
        kinds, sign, bound, got = expected.groups()
        reason = f"must be {_plain_kinds(kinds)}"
        if sign:
            reason += f" {_BOUNDS[sign]} {bound}"
        return f"{reason}, not {_plain_kinds(got)}" if got else reason
    if missing := _MISSING.fullmatch(why):
        return f"the key {missing[1]} is missing"
    if unknown := _UNKNOWN.fullmatch(why):
        return f"there is no key {unknown[1]}"
    if value := _NO_CHOICE.fullmatch(why):
        return f"{value[1]} is not one of the known values"
    return why.replace("`", "")


def _plain_kinds(kinds: str) -> str:
    """Return the names of msgspec's kinds, which ` | ` separates, in plain words.

    A final `null` is left out: it only means that the value may be missing.
    """
    names = kinds.removesuffix(" | null").split(" | ")
    return " or ".join(_KINDS.get(name, name) for name in names)
