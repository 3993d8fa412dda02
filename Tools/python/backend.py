"""Builds the wheel of receiptverify, as a build backend (PEP 517) and as a program.

The environment variable RECEIPTVERIFY_LIBRARY names the C library that goes into the wheel, RECEIPTVERIFY_VERSION is its
version, and SOURCE_DATE_EPOCH is the time of the files in the wheel. Tools/package wheel sets them.
"""

import base64
import hashlib
import os
import platform
import sys
import time
import tomllib
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PACKAGE = "receiptverify"
LIBRARY = "libreceiptverify.so.0"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its name."""
    library = os.environ.get("RECEIPTVERIFY_LIBRARY")
    version = os.environ.get("RECEIPTVERIFY_VERSION")
    if not library or not version:
        raise RuntimeError("build the wheel with Tools/package wheel, which builds the library first")
    tag = f"py3-none-linux_{platform.machine()}"
    information = f"{PACKAGE}-{version}.dist-info"
    files = {f"{PACKAGE}/{path.name}": path.read_bytes() for path in sorted((FOLDER / PACKAGE).iterdir())
             if path.suffix == ".py" or path.name == "py.typed"}
    files[f"{PACKAGE}/{LIBRARY}"] = Path(library).read_bytes()
    files[f"{information}/METADATA"] = metadata(version).encode()
    files[f"{information}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: {PACKAGE}\nRoot-Is-Purelib: false\nTag: {tag}\n").encode()
    record = "".join(f"{name},sha256={digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{information}/RECORD"] = f"{record}{information}/RECORD,,\n".encode()
    name = f"{PACKAGE}-{version}-{tag}.whl"
    moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path.endswith(LIBRARY) else 0o100644) << 16
            wheel.writestr(entry, content)
    return name


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def metadata(version):
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Classifier: {classifier}" for classifier in project["classifiers"]]
    for name, packages in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {name}"]
        lines += [f"Requires-Dist: {package} ; extra == '{name}'" for package in packages]
    lines += ["Description-Content-Type: text/markdown", "", (FOLDER / project["readme"]).read_text()]
    return "\n".join(lines)


if __name__ == "__main__":
    print(Path(sys.argv[1]) / build_wheel(sys.argv[1]))
