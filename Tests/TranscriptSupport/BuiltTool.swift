import Foundation

/// A built command-line tool.
package struct BuiltTool: Sendable {
    package static let verifyReceipt = BuiltTool(name: "verify-receipt", variable: "VERIFY_RECEIPT_BINARY")
    package static let localStore = BuiltTool(name: "local-store", variable: "LOCAL_STORE_BINARY")

    let name: String
    /// The variable of the environment that names another binary.
    let variable: String

    /// The binary that the package manager puts beside the test bundle, or the one that the environment names.
    package var path: String {
        get throws {
            let environment = ProcessInfo.processInfo.environment
            if let path = environment[variable] { return path }
            // On Linux the bundle is the running program, on macOS a folder that another program loads.
            let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
            let program = URL(fileURLWithPath: CommandLine.arguments.first ?? "")
            let places = bundles.map { $0.deletingLastPathComponent() } + [program.deletingLastPathComponent()]
            let candidates = places.map { $0.appendingPathComponent(name).path }
            guard let path = candidates.first(where: FileManager.default.isExecutableFile) else {
                throw Missing(places: candidates)
            }
            return path
        }
    }

    struct Missing: Error {
        let places: [String]
    }
}
