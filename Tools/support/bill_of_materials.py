"""Writes the bill of materials of packages: an SPDX 2.3 document in JSON, which names what each of them contains.

Called by Tools/package. It reads the packages themselves: each file with its digests, the copy of Swift in programs and
libraries, the libraries of other projects that the package carries, and the libraries that it needs on the system. Debian
says which of its packages these are from, with the versions of this machine. The same packages and the same system give
the same document; SOURCE_DATE_EPOCH is its time.
"""

import argparse
import hashlib
import io
import json
import os
import platform
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
import uuid
import zipfile
from pathlib import Path
from urllib.parse import quote

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
            text = output("readelf", "--wide", "--sections", "--dynamic", file.name)
            resolved = output("ldd", file.name)
        self.needed = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
        self.contains_swift = " swift5_" in text
        found = re.findall(r"^\s*(?:\S+ => )?(/\S+) \(0x", resolved, re.MULTILINE)
        self.paths = {Path(path).name: Path(path) for path in found}


class SystemPackage:
    """The package of Debian, or of a system made from it, that a file of this machine is from."""

    def __init__(self, name):
        """Creates the package with a name, which can have an architecture: ``libssl3:amd64``."""
        shown = output("dpkg-query", "--show", "--showformat", "${Package} ${Version} ${Architecture}", name)
        self.name, self.version, architecture = shown.split()
        system = platform.freedesktop_os_release()
        release = quote(f"{system['ID']}-{system['VERSION_ID']}" if "VERSION_ID" in system else system["ID"])
        self.url = (f"pkg:deb/{quote(system['ID'])}/{quote(self.name)}@{quote(self.version)}"
                    f"?arch={quote(architecture)}&distro={release}")

    @classmethod
    def of(cls, path):
        """Finds the package of a file; None without dpkg."""
        if shutil.which("dpkg-query") is None:
            return None
        # Debian's list has some files below /lib, and the loader finds others there through a link to /usr/lib.
        names = {str(path), os.path.realpath(path), f"/usr{path}", str(path).removeprefix("/usr")}
        owners = output("dpkg-query", "--search", *sorted(names), may_fail=True)
        found = re.search(r"^([^\s,]+): /", owners, re.MULTILINE)
        if found is None:
            raise SystemExit(f"{path} is from no package of the system")
        return cls(found[1])


def output(*command, may_fail=False):
    """Returns what a command prints."""
    return subprocess.run(command, check=not may_fail, text=True, capture_output=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


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
                externalRefs=[package_url(f"pkg:github/swiftlang/swift@swift-{self.swift}-RELEASE")],
                downloadLocation=f"https://github.com/swiftlang/swift/releases/tag/swift-{self.swift}-RELEASE",
                comment="The standard library, Concurrency, Dispatch and Foundation, linked statically."))
        for stem, project, origin, license in self.carried:
            if Path(name).name.startswith(stem):
                carried = SystemPackage(origin)
                self.relate(identifier, "GENERATED_FROM", self.package(
                    project, carried.version, licenseDeclared=license, externalRefs=[package_url(carried.url)]))
        for library in sorted(executable.needed):
            if library not in own:
                self.relate(identifier, "DYNAMIC_LINK", self.system_library(library, executable.paths))

    def system_library(self, library, paths):
        """Adds the package of a library that is not in our packages."""
        system = SystemPackage.of(paths[library])
        if system is None:
            return self.package(
                library, None, comment="A library of the system, which the package does not contain.")
        return self.package(
            system.name, system.version, externalRefs=[package_url(system.url)],
            comment="Libraries of the system, which the package does not contain; the version is that of the build.")

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


def package_url(url):
    return {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}


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
    parser.add_argument("--carried", action="append", default=[], metavar="FILE=PROJECT=PACKAGE=LICENSE",
                        help="a library of another project: how the names of its files begin, what it is, and the "
                             "package of the system that it is from")
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
