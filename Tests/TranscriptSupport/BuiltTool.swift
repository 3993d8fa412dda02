import Foundation

/// A command-line tool of the package, as the package manager has built it.
package struct BuiltTool: Sendable {
    package static let verifyReceipt = BuiltTool(name: "verify-receipt", variable: "VERIFY_RECEIPT_BINARY")
    package static let localStore = BuiltTool(name: "local-store", variable: "LOCAL_STORE_BINARY")
    package static let purchases = BuiltTool(name: "purchases", variable: "PURCHASES_BINARY")
    package static let paywallPreview = BuiltTool(name: "paywall-preview", variable: "PAYWALL_PREVIEW_BINARY")
    /// The process that the tests of the database start.
    package static let storageWorker = BuiltTool(name: "storage-worker", variable: "STORAGE_WORKER_BINARY")
    /// The example app of the documentation, which tests kill.
    package static let exampleApp = BuiltTool(name: "example-app", variable: "EXAMPLE_APP_BINARY")

    let name: String
    /// The environment variable that replaces the path of the binary.
    let variable: String

    /// The path of the binary: next to the test bundle, or as the environment variable says.
    package var path: String {
        get throws {
            let environment = ProcessInfo.processInfo.environment
            if let path = environment[variable] { return path }
            // On Linux the bundle is the running program, on macOS a folder that another program loads.
            let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
            let program = URL(fileURLWithPath: CommandLine.arguments.first ?? "")
            let folders = bundles.map { $0.deletingLastPathComponent() } + [program.deletingLastPathComponent()]
            let candidates = folders.map { $0.appendingPathComponent(name).path }
            guard let path = candidates.first(where: FileManager.default.isExecutableFile) else {
                throw MissingBinary(candidates: candidates)
            }
            return path
        }
    }

    /// The error for a tool that was not built.
    struct MissingBinary: Error {
        let candidates: [String]
    }
}
