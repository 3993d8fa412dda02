import Foundation
import Testing

/// What the core may stand on, so that it builds for systems that have nothing else.
@Suite("Closure of the core")
struct ClosureTests {
    private struct Manifest: Decodable {
        struct Target: Decodable {
            let name: String
            let type: String
            let dependencies: [Dependency]
        }

        /// Each is an object with one member that says its kind; the name comes first in it.
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

    @Test("[PFC-12] no system library and no C is in the closure of the core")
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
            let target = try #require(targets[name], "\(name) is no target of this package")
            #expect(target.type == "regular")
            next += target.dependencies.map(\.name)
        }
        #expect(closure == ["PurchaseCore", "ReceiptTypes"])
        // The reading of the manifest is right if it finds the libraries where they are.
        #expect(targets["COpenSSL"]?.type == "system")
        #expect(targets["CReceiptCrypto"]?.dependencies.map(\.name) == ["COpenSSL", "CJansson"])
    }

    @Test("[PFC-12] nothing is imported but the models, Foundation's essentials, and StoreKit where it is")
    func imports() throws {
        for target in ["PurchaseCore", "ReceiptTypes"] {
            for file in try PackageFolder.swiftFiles(in: "Sources/\(target)") {
                let modules = file.text.split(separator: "\n").map { $0.drop { $0 == " " } }
                    .filter { $0.hasPrefix("public import ") || $0.hasPrefix("internal import ") }
                    .compactMap { $0.split(separator: " ").last.map(String.init) }
                let isStoreKit = file.text.contains("#if canImport(StoreKit)\n")
                let allowed: Set = ["ReceiptTypes", "FoundationEssentials", "Foundation", "StoreKit"]
                #expect(Set(modules).isSubset(of: allowed), "\(file.path)")
                if modules.contains("StoreKit") { #expect(isStoreKit, "\(file.path)") }
                if modules.contains("Foundation") {
                    #expect(isStoreKit || file.text.contains("#if canImport(FoundationEssentials)"), "\(file.path)")
                }
                // Of newer systems than iOS 15.
                for word in ["import Observation", "@Observable", "import Synchronization", "ContinuousClock"] {
                    #expect(!file.text.contains(word), "\(file.path)")
                }
            }
        }
    }

    @Test("[PFC-12] no file of the core has more than 400 lines, and none stops the process")
    func files() throws {
        for file in try PackageFolder.swiftFiles(in: "Sources/PurchaseCore") {
            #expect(file.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 401, "\(file.path)")
            for word in ["try!", "fatalError", "precondition", "as!", "&+", "&*"] {
                #expect(!file.text.contains(word), "\(file.path): \(word)")
            }
        }
    }
}
