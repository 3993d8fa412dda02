"""TestVectors/README.md: readme.template.md with the number of tests and the table of flags filled in."""

import string
from pathlib import Path

from .flags import FLAGS

TEMPLATE = Path(__file__).with_name("readme.template.md")


def text(files):
    """Returns the README for these vector files."""
    return string.Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        total=sum(len(file.tests()) for file in files),
        files=len(files),
        table="\n".join(f"| `{file.name}` | {len(file.tests())} | {file.about} |" for file in files),
        flags="\n".join(f"| {flag} | {meaning} |" for flag, meaning in FLAGS.items()),
    )
