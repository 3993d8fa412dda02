import Foundation
import Testing

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

    @Test("[PFC-12] PurchaseCore imports only ReceiptTypes, Foundation, StoreKit where available, and Observation")
    func imports() throws {
        for target in ["PurchaseCore", "ReceiptTypes"] {
            for file in try PackageFolder.swiftFiles(in: "Sources/\(target)") {
                let modules = file.text.split(separator: "\n").map { $0.drop { $0 == " " } }
                    .filter { $0.hasPrefix("public import ") || $0.hasPrefix("internal import ") }
                    .compactMap { $0.split(separator: " ").last.map(String.init) }
                let isStoreKit = file.text.contains("#if canImport(StoreKit)\n")
                let allowed: Set = [
                    "ReceiptTypes", "FoundationEssentials", "Foundation", "Observation", "StoreKit", "UIKit",
                ]
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
                for word in ["import Synchronization", "ContinuousClock"] {
                    #expect(!file.text.contains(word), "\(file.path)")
                }
                // Every other use of Duration, which requires iOS 16, would not compile there.
                let isForIOS16 = file.text.contains("@available(macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, *)")
                #expect(!file.text.contains(": Duration") || isForIOS16, "\(file.path)")
            }
        }
    }
}
