"""A title as a part of an address: `Ärger & Spaß, part 2` becomes `arger-spass-part-2`."""

from __future__ import annotations

import re
import unicodedata


def slug_of(title: str) -> str:
    letters = unicodedata.normalize("NFKD", title.casefold())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
