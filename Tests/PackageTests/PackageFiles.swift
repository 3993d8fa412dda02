import Foundation

/// The files of the package, for tests that read them.
enum PackageFiles {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Returns the files below a folder whose names have one of the endings, with paths from the package's root.
    static func files(in folder: String, ending: [String]) throws -> [(path: String, text: String)] {
        let base = root.appending(path: folder)
        let names = FileManager.default.enumerator(atPath: base.path())?.compactMap { $0 as? String } ?? []
        return try names.filter { name in ending.contains { name.hasSuffix($0) } }.sorted().map {
            ("\(folder)/\($0)", try String(contentsOf: base.appending(path: $0), encoding: .utf8))
        }
    }
}
