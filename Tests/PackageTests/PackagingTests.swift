import Foundation
import Testing

/// Checks the commands that make packages for other systems, without making one.
@Suite("Packaging")
struct PackagingTests {
    /// Runs a script of bash in the package's folder; returns its exit code, its output and its messages.
    private func run(_ script: String) throws -> (code: Int32, output: String, messages: String) {
        let process = Process()
        let (output, messages) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["bash", "-c", script]
        process.currentDirectoryURL = PackageFiles.root
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = messages
        try process.run()
        // Both are short, so that no pipe is full before it is read.
        let texts = try [output, messages].map {
            String(decoding: try $0.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
        process.waitUntilExit()
        return (process.terminationStatus, texts[0], texts[1])
    }

    /// Makes a root with a program that says what `mmdebstrap` says and has its exit code.
    private func makeRoot(printing text: String, code: Int) throws -> (code: Int32, output: String, messages: String) {
        try run(
            """
            set -euo pipefail
            work=$(mktemp -d)
            trap 'rm -rf "$work"' EXIT
            mkdir "$work/bin" "$work/given"
            printf '#!/bin/sh\\nprintf "%%b" "\(text)"\\nexit \(code)\\n' >"$work/bin/mmdebstrap"
            chmod +x "$work/bin/mmdebstrap"
            PATH=$work/bin:$PATH
            source Tools/support/set-up.sh
            source Tools/support/bare-root.sh
            in_bare_root bookworm "$work/given" Tools/support/bare-root/library.sh
            """)
    }

    @Test("the tools, the C library and the packages have one version")
    func oneVersion() throws {
        let header = try String(
            contentsOf: PackageFiles.root.appending(path: "Sources/CReceiptVerify/receiptverify.h"), encoding: .utf8)
        let version = try #require(header.firstMatch(of: /#define RECEIPTVERIFY_VERSION "([0-9.]+)"/)).1
        let packages = try run("root=$PWD; source Tools/support/release.sh; printf '%s' \"$version\"")
        #expect(packages.output == version)
        let sources = try PackageFiles.files(in: "Sources", ending: [".swift"])
        let places = sources.filter { $0.text.contains("\"\(version)\"") }.map(\.path)
        #expect(places == ["Sources/ReceiptTypes/Values/PackageVersion.swift"])
    }

    @Test("no source makes a program depend on the folder in which it is built")
    func foldersAreLeftOut() throws {
        // The compiler writes the folder, or the length of its name, into what is built from these.
        for file in try PackageFiles.files(in: "Sources", ending: [".swift"]) {
            for word in ["withoutActuallyEscaping", "#filePath", "#file,", "#file)"] {
                #expect(!file.text.contains(word), "\(file.path) contains \(word)")
            }
        }
    }

    @Test("each tool of the packages has a paragraph that describes its Debian package")
    func eachToolHasAPackage() throws {
        let control = try String(
            contentsOf: PackageFiles.root.appending(path: "Tools/debian/control"), encoding: .utf8)
        let manifest = try String(contentsOf: PackageFiles.root.appending(path: "Package.swift"), encoding: .utf8)
        let products = Set(manifest.matches(of: /\.executable\(name: "([a-z-]+)"/).map { String($0.1) })
        let tools = try run("root=$PWD; source Tools/support/release.sh; printf '%s\\n' \"${tools[@]}\"")
        #expect(Set(tools.output.split(separator: "\n").map(String.init)) == products)
        for tool in products { #expect(control.contains("\nPackage: \(tool)\n"), "\(tool) has no Debian package") }
    }

    @Test("the copyright of the packages says that no licence has been chosen, and names what Swift's allows")
    func copyright() throws {
        let text = try String(contentsOf: PackageFiles.root.appending(path: "Tools/debian/copyright"), encoding: .utf8)
        #expect(text.contains("has not chosen a licence"))
        #expect(text.contains("Apache License v2.0 with Runtime Library Exception"))
    }

    @Test("a Debian root that cannot be made is a check that cannot run, with what mmdebstrap said")
    func missingRoot() throws {
        let outcome = try makeRoot(printing: "E: no network\\n", code: 1)
        #expect(outcome.code == 3)
        #expect(outcome.messages.contains("E: no network"))
        #expect(outcome.messages.contains("mmdebstrap could not make a root of Debian bookworm"))
    }

    @Test("a check that fails in a Debian root is a failure, with what it said and nothing from before")
    func failureInRoot() throws {
        let outcome = try makeRoot(printing: "I: before\\nthe root is ready\\nverify.c does not compile\\n", code: 1)
        #expect(outcome.code == 1)
        #expect(outcome.messages.contains("verify.c does not compile"))
        #expect(!outcome.messages.contains("I: before"))
        #expect(outcome.messages.contains("library.sh failed in a root of Debian bookworm"))
    }

    @Test("a check that passes in a Debian root passes, with what it said")
    func successInRoot() throws {
        let outcome = try makeRoot(printing: "the root is ready\\na program in C verifies\\n", code: 0)
        #expect(outcome.code == 0)
        #expect(outcome.messages.contains("a program in C verifies"))
    }

    @Test(
        "an argument that a command does not have is a mistake in usage, with the way to the help",
        arguments: ["Tools/package zip", "Tools/package deb --zip", "Tools/package wheel --check"])
    func usage(command: String) throws {
        let outcome = try run(command)
        #expect(outcome.code == 2)
        #expect(outcome.messages.contains("hint: Tools/"), "\(outcome.messages)")
    }
}
