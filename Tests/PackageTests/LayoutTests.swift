import Foundation
import Testing

/// Checks what holds for the package as a whole, read from its files.
@Suite("Layout of the package")
struct LayoutTests {
    @Test("[CARD-1] the top level holds what it should and nothing else beside dot files")
    func layout() throws {
        let agreed: Set = ["Package.swift", "Sources", "Tests", "TestVectors", "Tools", "README.md"]
        let entries = try FileManager.default.contentsOfDirectory(atPath: PackageFiles.root.path()).filter {
            !$0.hasPrefix(".")
        }
        #expect(Set(entries) == agreed)
    }

    @Test("[CARD-1] no file has more than 600 lines")
    func filesAreShort() throws {
        for file in try PackageFiles.files(in: "Sources", ending: [".swift", ".c", ".h"])
            + PackageFiles.files(in: "Tests", ending: [".swift"])
        {
            #expect(file.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 601, "\(file.path)")
        }
    }

    @Test("[CARD-2] C stays inside: every import of the C module is internal, and only one target has any")
    func cModuleIsInternal() throws {
        var importers = 0
        // C modules have a C in front of a name that begins with a capital.
        let cImport = /import C[A-Z]/
        for file in try PackageFiles.files(in: "Sources", ending: [".swift"]) {
            for line in file.text.split(separator: "\n") where line.contains(cImport) && !line.hasPrefix("///") {
                #expect(line == "internal import CReceiptCrypto", "\(file.path): \(line)")
                #expect(file.path.hasPrefix("Sources/ReceiptVerification/"), "\(file.path)")
                importers += 1
            }
        }
        #expect(importers > 0)
    }

    @Test("[CARD-1] nothing traps on purpose: no forced unwrapping, no forced try, no fatal error")
    func nothingTraps() throws {
        for file in try PackageFiles.files(in: "Sources", ending: [".swift"]) {
            #expect(!file.text.contains("try!"), "\(file.path)")
            #expect(!file.text.contains("fatalError"), "\(file.path)")
            #expect(!file.text.contains("preconditionFailure"), "\(file.path)")
        }
    }

    @Test("no library that verifies purchases depends on the target that makes test receipts")
    func testAuthorityIsApart() throws {
        let manifest = try String(contentsOf: PackageFiles.root.appending(path: "Package.swift"), encoding: .utf8)
        // The manifest from one target to the next.
        let targets = manifest.split(separator: /\.(?:target|executableTarget|testTarget)\(/).dropFirst()
        #expect(targets.contains { $0.contains("\"ReceiptTestAuthority\"") })
        for name in ["ReceiptTypes", "ReceiptVerification", "PurchaseCore", "PurchaseVerification"] {
            let target = try #require(targets.first { $0.contains("name: \"\(name)\"") })
            #expect(!target.contains("\"ReceiptTestAuthority\""), "\(name) links the test authority")
            let files = try PackageFiles.files(in: "Sources/\(name)", ending: [".swift"])
            #expect(!files.isEmpty)
            for file in files {
                #expect(
                    !file.text.contains(/import ReceiptTestAuthority|struct Test(?:Authority|Signer|PlayKey)/),
                    "\(file.path)")
            }
        }
    }
}
