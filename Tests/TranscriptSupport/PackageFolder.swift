package import Foundation

/// The folder of the package that the tests belong to, and the programs that check it.
package enum PackageFolder {
    package static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Returns the Swift files below a folder.
    package static func swiftFiles(in folder: String) throws -> [(path: String, text: String)] {
        let base = url.appending(path: folder)
        let paths = FileManager.default.enumerator(atPath: base.path())?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map {
            (base.appending(path: $0).path(), try String(contentsOf: base.appending(path: $0), encoding: .utf8))
        }
    }

    /// The folder of the compiled modules, next to the test bundle.
    package static var modules: URL {
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let program = URL(fileURLWithPath: CommandLine.arguments.first ?? "")
        let places = (bundles + [program]).map { $0.deletingLastPathComponent().appending(path: "Modules") }
        return places.first { FileManager.default.fileExists(atPath: $0.path()) } ?? program
    }

    /// Compiles stubs of Apple's modules into a folder, for code that is not compiled on this system otherwise.
    ///
    /// - Parameter isLinked: Whether each module gets an object file beside it, for a program that runs with the stub.
    package static func compileStubs(
        _ modules: [String], of stubs: String, into folder: URL, isLinked: Bool = false
    ) throws {
        for module in modules {
            let object = folder.appending(path: "\(module).o").path()
            let result = try run(
                [
                    "swiftc", "-emit-module", "-module-name", module, "-parse-as-library", "-swift-version", "6",
                    "-enable-library-evolution", "-suppress-warnings", "-I", folder.path(), "-emit-module-path",
                    folder.appending(path: "\(module).swiftmodule").path(), "\(stubs)/\(module).swift",
                ] + (isLinked ? ["-c", "-o", object] : []))
            guard result.status == 0 else { throw StubFailure(messages: result.errors) }
        }
    }

    /// The error for a stub that does not compile.
    struct StubFailure: Error {
        let messages: String
    }

    /// Type-checks a target against stubs of Apple's modules, and returns the messages of the compiler: its errors, and
    /// its warnings as errors.
    ///
    /// - Parameters:
    ///   - sources: The paths of the sources.
    ///   - stubs: The folder that the stubs were compiled into.
    ///   - arguments: Other arguments of the compiler.
    package static func typeCheck(
        _ target: String, _ sources: [String], stubs: URL, _ arguments: [String] = []
    ) throws -> String {
        let result = try run(
            [
                "swiftc", "-typecheck", "-module-name", target, "-parse-as-library", "-swift-version", "6",
                "-strict-memory-safety", "-warnings-as-errors", "-package-name", identity,
                "-I", stubs.path(), "-I", modules.path(),
            ] + features + arguments + sources)
        return result.status == 0 ? result.errors : "failed: \(result.errors)"
    }

    /// The features of the package's targets, as arguments of the compiler.
    package static var features: [String] {
        ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault"]
            .flatMap { ["-enable-upcoming-feature", $0] } + ["-enable-experimental-feature", "Lifetimes"]
    }

    /// The package's identity, which the package manager derives from the folder's name.
    private static var identity: String {
        String(url.lastPathComponent.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    /// Runs a program in the package's folder, and returns its exit status and output.
    package static func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files instead of pipes: a full pipe without a reader blocks the program.
        let files = ["output", "errors"].map { folder.appending(path: $0) }
        for file in files { _ = FileManager.default.createFile(atPath: file.path(), contents: nil) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = url
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        process.waitUntilExit()
        let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        return (process.terminationStatus, texts[0], texts[1])
    }
}
