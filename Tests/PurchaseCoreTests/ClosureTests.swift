import Foundation
import Testing
import TranscriptSupport

/// Checks the dependencies of the core, so that it builds on systems without the C libraries.
@Suite("Dependencies of PurchaseCore")
struct ClosureTests {
    private struct Manifest: Decodable {
        struct Target: Decodable {
            let name: String
            let type: String
            let dependencies: [Dependency]
        }

        /// An object with one member, named by the kind of the dependency; the first element is the target's name.
        struct Dependency: Decodable {
            let name: String

            init(from decoder: any Decoder) throws {
                let members = try decoder.singleValueContainer().decode([String: [Part]].self)
                name = members.values.first?.first?.text ?? ""
            }
        }

        struct Part: Decodable {
            let text: String?

            init(from decoder: any Decoder) throws {
                text = try? decoder.singleValueContainer().decode(String.self)
            }
        }

        let targets: [Target]
    }

    @Test("[PFC-12] PurchaseCore depends on ReceiptTypes only: no system library and no C")
    func closure() throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let dump = try PackageFolder.run(["swift", "package", "--scratch-path", scratch.path(), "dump-package"])
        try #require(dump.status == 0, "\(dump.errors)")
        let manifest = try JSONDecoder().decode(Manifest.self, from: Data(dump.output.utf8))
        let targets = Dictionary(manifest.targets.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var closure: Set<String> = []
        var next = ["PurchaseCore"]
        while let name = next.popLast() {
            guard closure.insert(name).inserted else { continue }
            let target = try #require(targets[name], "\(name) is not a target of this package")
            #expect(target.type == "regular")
            next += target.dependencies.map(\.name)
        }
        #expect(closure == ["PurchaseCore", "ReceiptTypes"])
        // Shows that the test reads the manifest correctly.
        #expect(targets["COpenSSL"]?.type == "system")
        #expect(targets["CReceiptCrypto"]?.dependencies.map(\.name) == ["COpenSSL", "CJansson"])
    }

    /// The files that import the system's C library, which Swift's own library needs anyway, each with the reason.
    private static let cLibrary = [
        "DeviceUptime.swift": "clocks and the id of the device's start", "Locked.swift": "a mutex",
    ]

    @Test(
        """
        [PFC-12] PurchaseCore imports only ReceiptTypes, Foundation, StoreKit where available, Observation, and the system's \
        C library in the listed files
        """)
    func imports() throws {
        for target in ["PurchaseCore", "ReceiptTypes"] {
            for file in try PackageFolder.swiftFiles(in: "Sources/\(target)") {
                let modules = Self.imports(in: file.text)
                let isStoreKit = file.text.contains("#if canImport(StoreKit)\n")
                var allowed: Set = [
                    "ReceiptTypes", "FoundationEssentials", "Foundation", "Observation", "StoreKit", "UIKit",
                ]
                let name = file.path.split(separator: "/").last.map(String.init) ?? ""
                if Self.cLibrary[name] != nil { allowed = ["ReceiptTypes", "Darwin", "Glibc", "Musl"] }
                #expect(Set(modules).isSubset(of: allowed), "\(file.path)")
                if modules.contains("StoreKit") || modules.contains("UIKit") { #expect(isStoreKit, "\(file.path)") }
                if modules.contains("Foundation") {
                    #expect(isStoreKit || file.text.contains("#if canImport(FoundationEssentials)"), "\(file.path)")
                }
                // These require systems newer than iOS 15: iOS 17 or later, and iOS 18 or later.
                let isForIOS17 = file.text.contains("@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)")
                for word in ["import Observation", "@Observable"] {
                    #expect(!file.text.contains(word) || isForIOS17, "\(file.path)")
                }
                // A C function needs no import under these attributes.
                for word in ["import Synchronization", "ContinuousClock", "@_silgen_name", "@_extern", "@_cdecl"] {
                    #expect(!file.text.contains(word), "\(file.path)")
                }
                // Duration requires iOS 16: lengths of time are in milliseconds.
                #expect(!file.text.contains(": Duration"), "\(file.path)")
            }
        }
        // Shows that no form of an import is overlooked.
        let forms = ["import A", "    package import B", "@preconcurrency import C", "private import struct D.Value"]
        #expect(Self.imports(in: forms.joined(separator: "\n")) == ["A", "B", "C", "D"])
        #expect(Self.imports(in: "// what to import here\nlet x = import(y)").isEmpty)
    }

    /// Returns the names of the modules that a file imports, in any form.
    private static func imports(in text: String) -> [String] {
        let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "import"),
                words[..<place].allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") })
            else { return nil }
            return words[place...].dropFirst().last?.split(separator: ".").first.map(String.init)
        }
    }
}
