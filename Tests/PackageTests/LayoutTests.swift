import Foundation
import Testing

/// Checks the rules for all files of the package.
@Suite("Layout of the package")
struct LayoutTests {
    @Test("[CARD-1] the top level has the agreed entries and no others except dot files")
    func layout() throws {
        let agreed: Set = ["Package.swift", "Sources", "Tests", "TestVectors", "Tools", "README.md"]
        let entries = try FileManager.default.contentsOfDirectory(atPath: PackageFiles.root.path()).filter {
            !$0.hasPrefix(".")
        }
        #expect(Set(entries) == agreed)
    }

    @Test(
        "no source file exceeds the line limit of its folder",
        arguments: [("Sources", 600), ("Tools", 600), ("Tests", 800)]
    )
    func filesAreShort(folder: String, limit: Int) throws {
        let files = try PackageFiles.files(in: folder, ending: [".swift", ".c", ".h", ".py", ".sh"])
        #expect(!files.isEmpty)
        for file in files {
            let count = file.text.utf8.count { $0 == UInt8(ascii: "\n") }
            #expect(count <= limit, "\(file.path) has \(count) lines")
        }
    }

    @Test("no line of the sources has more than 120 columns, not even a text, which the formatter leaves as it is")
    func linesAreShort() throws {
        for file in try PackageFiles.files(in: "Sources", ending: [".swift"]) {
            for line in file.text.split(separator: "\n") where line.utf8.count > 120 {
                #expect(line.count <= 120, "\(file.path): \(line)")
            }
        }
    }

    @Test("[CARD-2] one target imports each C module, and each import is internal")
    func cModuleIsInternal() throws {
        let places = [
            "internal import CReceiptCrypto": "Sources/ReceiptVerification/",
            "internal import CSQLite": "Sources/SQLite/",
            "internal import CSecretService": "Sources/PurchaseStorage/SecretService/",
            "internal import CReceiptVerify": "Sources/ReceiptVerifyLibrary/",
            "internal import CMicroHTTPD": "Sources/PreviewServer/Connections/",
        ]
        var imported: Set<String> = []
        // The name of a C module is a C and a capitalized name.
        let cImport = /import C[A-Z]/
        for file in try PackageFiles.files(in: "Sources", ending: [".swift"]) {
            for line in file.text.split(separator: "\n") where line.contains(cImport) && !line.hasPrefix("///") {
                let line = String(line.drop { $0 == " " })
                let place = places[line]
                #expect(place.map { file.path.hasPrefix($0) } ?? false, "\(file.path): \(line)")
                imported.insert(line)
            }
        }
        #expect(imported == Set(places.keys))
    }

    @Test("no source contains try!, fatalError or preconditionFailure")
    func sourcesDoNotTrap() throws {
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
