import Foundation
import Testing
import TranscriptSupport

@Suite("Screens in SwiftUI", .timeLimit(.minutes(15)))
struct SwiftUITests {
    @Test("the example of the documentation compiles without warnings against a stub of SwiftUI")
    func compiles() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "swiftui-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try PackageFolder.compileStubs(["SwiftUI"], of: "Tools/swiftui-stub", into: folder)
        let example = try String(
            contentsOf: PackageFolder.url.appending(path: "Tests/PackageTests/Examples/SwiftUIExamples.swift"),
            encoding: .utf8)
        func compile(_ source: String) throws -> (status: Int32, output: String, errors: String) {
            let file = folder.appending(path: "Example.swift")
            try source.write(to: file, atomically: true, encoding: .utf8)
            return try PackageFolder.run(
                [
                    "swiftc", "-typecheck", "-module-name", "Example", "-parse-as-library", "-swift-version", "6",
                    "-warnings-as-errors", "-I", folder.path(), "-I", PackageFolder.modules.path(),
                ] + PackageFolder.features + [file.path()])
        }
        let result = try compile(example)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        // The example has a condition, so a stub that is not found would hide all of it.
        let wrong = try compile(example.replacing("isClosable", with: "isClosed"))
        #expect(wrong.status != 0 && wrong.errors.contains("has no member 'isClosed'"))
    }
}
