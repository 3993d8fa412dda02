import Foundation

/// The built command-line tool.
enum BuiltTool {
    /// The binary that the package manager puts beside the test bundle; VERIFY_RECEIPT_BINARY names another one.
    static var path: String {
        get throws {
            let environment = ProcessInfo.processInfo.environment
            if let path = environment["VERIFY_RECEIPT_BINARY"] { return path }
            // On Linux the bundle is the running program, on macOS a folder that another program loads.
            let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
            let program = URL(fileURLWithPath: CommandLine.arguments.first ?? "")
            let places = bundles.map { $0.deletingLastPathComponent() } + [program.deletingLastPathComponent()]
            let candidates = places.map { $0.appendingPathComponent("verify-receipt").path }
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
