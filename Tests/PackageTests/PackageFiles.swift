import Foundation

/// The files of the package, for tests that read them.
enum PackageFiles {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Returns the files below a folder whose names have one of the endings, with paths from the package's root. Build
    /// folders are skipped.
    static func files(in folder: String, ending: [String]) throws -> [(path: String, text: String)] {
        let base = root.appending(path: folder)
        let enumerator = FileManager.default.enumerator(atPath: base.path())
        var names: [String] = []
        while let name = enumerator?.nextObject() as? String {
            if name.hasSuffix(".build") {
                enumerator?.skipDescendants()
            } else if ending.contains(where: name.hasSuffix) {
                names.append(name)
            }
        }
        return try names.sorted().map {
            ("\(folder)/\($0)", try String(contentsOf: base.appending(path: $0), encoding: .utf8))
        }
    }
}
