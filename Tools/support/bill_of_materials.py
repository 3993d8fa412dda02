"""Writes the bill of materials of packages: an SPDX 2.3 document in JSON, which names what each of them contains.

Called by Tools/package. It reads the packages themselves: each file with its digests, the copy of Swift in programs and
libraries, the libraries of other projects that the package carries, and the libraries that it needs on the system. The
same packages give the same document; SOURCE_DATE_EPOCH is its time.
"""

import argparse
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
import tempfile
import time
import uuid
import zipfile
from pathlib import Path

NAME = "receipt-verification"
NO_ASSERTION = "NOASSERTION"
SWIFT_LICENSE = "Apache-2.0 WITH Swift-exception"


def contents(package):
    """Returns the files of a package by their paths; symbolic links have no bytes of their own."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            return {entry.filename: archive.read(entry) for entry in archive.infolist() if not entry.is_dir()}
    content = package.read_bytes()
    if package.suffix == ".deb":
        content = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return {entry.name.removeprefix("./"): archive.extractfile(entry).read()
                for entry in archive.getmembers() if entry.isreg()}


class ExecutableFile:
    """What a program or a library says about itself."""

    def __init__(self, content):
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            text = subprocess.run(["readelf", "--wide", "--sections", "--dynamic", file.name], check=True, text=True,
                                  capture_output=True, env={**os.environ, "LC_ALL": "C"}).stdout
        self.needed = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
        self.contains_swift = " swift5_" in text


class Bill:
    """The document, to which packages are added."""

    def __init__(self, arguments):
        self.version = arguments.version
        self.swift = arguments.swift
        self.carried = [text.split("=") for text in arguments.carried]
        self.packages = {}
        self.files = {}
        self.relationships = []

    def add(self, path):
        content = path.read_bytes()
        files = contents(path)
        identifier = self.package(
            path.name, self.version, packageFileName=path.name, filesAnalyzed=True,
            checksums=[checksum("SHA256", content)], primaryPackagePurpose="INSTALL",
            packageVerificationCode={"packageVerificationCodeValue": verification_code(files.values())},
            licenseDeclared="NONE", copyrightText=f"Copyright 2026 the owner of {NAME}")
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", identifier)
        carried = {re.sub(r"-[0-9a-f]{8}(?=\.so)", "", Path(name).name) for name in files if ".libs/" in name}
        own = {Path(name).name for name in files if name not in carried}
        for name, file in sorted(files.items()):
            self.add_file(identifier, path.name, name, file, own)

    def add_file(self, package, package_name, name, content, own):
        identifier = reference("File", f"{package_name}/{name}")
        is_executable = content.startswith(b"\x7fELF")
        self.files[identifier] = {
            "SPDXID": identifier, "fileName": f"./{name}",
            "checksums": [checksum("SHA1", content), checksum("SHA256", content)],
            "fileTypes": ["BINARY" if is_executable else "OTHER"],
            "licenseConcluded": NO_ASSERTION, "copyrightText": NO_ASSERTION,
        }
        self.relate(package, "CONTAINS", identifier)
        if not is_executable:
            return
        executable = ExecutableFile(content)
        if executable.contains_swift:
            self.relate(identifier, "STATIC_LINK", self.package(
                "swift", self.swift, licenseDeclared=SWIFT_LICENSE,
                downloadLocation=f"https://github.com/swiftlang/swift/releases/tag/swift-{self.swift}-RELEASE",
                comment="The standard library, Concurrency, Dispatch and Foundation, linked statically."))
        for stem, project, version, license in self.carried:
            if Path(name).name.startswith(stem):
                self.relate(identifier, "GENERATED_FROM", self.package(project, version, licenseDeclared=license))
        for library in executable.needed:
            if library not in own:
                self.relate(identifier, "DYNAMIC_LINK", self.package(
                    library, None, comment="A library of the system, which the package does not contain."))

    def package(self, name, version, **members):
        """Adds a package unless the document has it, and returns its identifier."""
        identifier = reference("Package", f"{name}-{version}" if version else name)
        self.packages[identifier] = {
            "SPDXID": identifier, "name": name, **({"versionInfo": version} if version else {}),
            "downloadLocation": NO_ASSERTION, "filesAnalyzed": False, "licenseConcluded": NO_ASSERTION,
            "licenseDeclared": NO_ASSERTION, "copyrightText": NO_ASSERTION, **members,
        }
        return identifier

    def relate(self, subject, kind, object):
        self.relationships.append(
            {"spdxElementId": subject, "relationshipType": kind, "relatedSpdxElement": object})

    def document(self, name):
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
        body = {
            "packages": list(self.packages.values()), "files": list(self.files.values()),
            "relationships": self.relationships,
        }
        identity = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body, sort_keys=True))
        return {
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{identity}",
            "creationInfo": {"created": moment, "creators": [f"Tool: {NAME}-{self.version}"]}, **body,
        }


def reference(kind, name):
    """Returns the identifier of a thing: its name, and a digest, because an identifier has few characters."""
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    return f"SPDXRef-{kind}-{re.sub('[^A-Za-z0-9.]+', '-', name.rsplit('/', 1)[-1])}-{digest}"


def checksum(algorithm, content):
    return {"algorithm": algorithm, "checksumValue": hashlib.new(algorithm, content).hexdigest()}


def verification_code(files):
    digests = sorted(hashlib.sha1(content).hexdigest() for content in files)
    return hashlib.sha1("".join(digests).encode()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True, help="the version of the packages")
    parser.add_argument("--swift", required=True, help="the version of Swift")
    parser.add_argument("--carried", action="append", default=[], metavar="FILE=PROJECT=VERSION=LICENSE",
                        help="a library of another project: how the names of its files begin, and what it is")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("packages", type=Path, nargs="+", help="files .deb, .whl and .tar.gz")
    arguments = parser.parse_args()
    bill = Bill(arguments)
    for package in sorted(arguments.packages):
        bill.add(package)
    document = bill.document(arguments.output.name.removesuffix(".spdx.json"))
    arguments.output.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
