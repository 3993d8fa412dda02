import Foundation
import Testing

/// Checks the rules of the package's English that a program can check.
@Suite("English")
struct EnglishTests {
    /// Words that hide the actor, or that a reader has to translate.
    private static let avoided = ["who", "whoever", "nobody", "somebody", "befalls", "in vain", "for ever"]

    /// Lines that keep such a word: a fragment of the line, and the reason.
    private static let exceptions: [(path: String, fragment: String, reason: String)] = [
        ("Tests/PackageTests/EnglishTests.swift", "", "names the words"),
        ("Tools/vectors/cases/chainrules.py", "somebody else", "a name inside signed test certificates"),
        ("Tools/vectors/cases/order.py", "somebody else", "a name inside signed test certificates"),
        ("Tools/vectors/cases/payload.py", "\"nobody\"", "a value inside a signed test payload"),
        ("Tools/fuzzing/Sources/Fuzz/Certificates/ShapedChain.swift", "\"nobody\"", "the name of a fixed test key"),
    ]

    @Test("no file names an actor by a pronoun or uses a turn of phrase that the style replaces")
    func words() throws {
        for path in try trackedTexts() {
            let fragments = Self.exceptions.filter { $0.path == path }.map(\.fragment)
            let url = PackageFiles.root.appending(path: path)
            guard let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
            let lowercase = text.lowercased()
            // Most files have none of the words anywhere, which one search each tells quickly.
            for word in Self.avoided where lowercase.contains(word) {
                for (index, line) in lowercase.components(separatedBy: "\n").enumerated()
                where !fragments.contains(where: { $0.isEmpty || line.contains($0) }) {
                    #expect(!Self.contains(line, word), "\(path):\(index + 1) has \(word): \(line.prefix(160))")
                }
            }
        }
    }

    @Test("a word is found as a word only")
    func wordsOnly() {
        #expect(Self.contains("the one who waits", "who"))
        #expect(Self.contains("who", "who"))
        #expect(Self.contains("searched in vain.", "in vain"))
        #expect(!Self.contains("the whole", "who"))
        #expect(!Self.contains("forever", "for ever"))
    }

    /// The paths that the rules apply to.
    private func trackedTexts() throws -> [String] {
        let folders = ["Sources", "Tests", "Tools", "TestVectors", ".github"]
        let endings = [".swift", ".c", ".h", ".md", ".py", ".sh", ".txt", ".json", ".modulemap"]
        var paths = ["README.md", "Package.swift", ".ci/run"]
        for folder in folders {
            let base = PackageFiles.root.appending(path: folder)
            let names = FileManager.default.enumerator(atPath: base.path())?.compactMap { $0 as? String } ?? []
            paths += names.filter { name in
                !name.contains(".build/")
                    && (endings.contains { name.hasSuffix($0) } || !URL(filePath: name).lastPathComponent.contains("."))
            }.map { "\(folder)/\($0)" }
        }
        return paths.sorted()
    }

    private static func contains(_ line: String, _ word: String) -> Bool {
        var rest = line[...]
        while let range = rest.range(of: word) {
            let before = range.lowerBound == line.startIndex ? nil : line[line.index(before: range.lowerBound)]
            let after = range.upperBound == line.endIndex ? nil : line[range.upperBound]
            if ![before, after].contains(where: { $0.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false }) {
                return true
            }
            rest = rest[range.upperBound...]
        }
        return false
    }
}
