import Foundation
import Testing

/// Compares the Swift code in the documentation with the examples that are compiled for the tests.
@Suite("Documentation examples")
struct ExampleTests {
    /// A block of Swift code in the documentation.
    struct Block: CustomStringConvertible {
        let path: String
        let line: Int
        let code: [String]

        var description: String { "\(path):\(line): \(code.first ?? "")" }
    }

    @Test("every Swift example in the README, in a catalogue or in a doc comment is compiled")
    func everyExampleCompiles() throws {
        let compiled = try ["Tests/PackageTests/Examples", "Tests/ExampleApp"].flatMap { folder in
            try PackageFiles.files(in: folder, ending: [".swift"]).map {
                Self.significantLines($0.text.components(separatedBy: "\n"))
            }
        }
        let blocks = try Self.blocks()
        #expect(!blocks.isEmpty)
        for block in blocks {
            #expect(
                compiled.contains { Self.contains($0, block.code) },
                "no file in Tests/PackageTests/Examples or Tests/ExampleApp has these lines: \(block)"
            )
        }
    }

    @Test("a block that differs in one line is not found")
    func differenceIsNoticed() {
        let lines = ["let a = 1", "let b = 2", "print(a + b)"]
        #expect(Self.contains(lines, ["let b = 2", "print(a + b)"]))
        #expect(!Self.contains(lines, ["let a = 1", "print(a + b)"]))
        #expect(!Self.contains(lines, ["let b = 3"]))
        #expect(!Self.contains(lines, []))
    }

    private static func blocks() throws -> [Block] {
        var blocks: [Block] = []
        let sources = try PackageFiles.files(in: "Sources", ending: [".swift", ".md"])
        let readme = PackageFiles.root.appending(path: "README.md")
        for file in sources + [("README.md", try String(contentsOf: readme, encoding: .utf8))] {
            var open: (line: Int, code: [String])?
            for (index, raw) in file.text.components(separatedBy: "\n").enumerated() {
                var line = raw.trimmingCharacters(in: .whitespaces)
                if file.path.hasSuffix(".swift") {
                    guard line.hasPrefix("///") else { continue }
                    line = line.dropFirst(3).trimmingCharacters(in: .whitespaces)
                }
                if line == "```swift" {
                    open = (index + 1, [])
                } else if line == "```", let block = open {
                    let code = significantLines(block.code)
                    if !code.isEmpty { blocks.append(Block(path: file.path, line: block.line, code: code)) }
                    open = nil
                } else {
                    open?.code.append(line)
                }
            }
        }
        return blocks
    }

    /// The lines without indentation, blank lines and imports, which stand at the top of a file.
    private static func significantLines(_ lines: [String]) -> [String] {
        lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty && !$0.hasPrefix("import ") }
    }

    private static func contains(_ lines: [String], _ block: [String]) -> Bool {
        guard let first = block.first else { return false }
        return lines.indices.contains { index in
            lines[index] == first && lines[index...].starts(with: block)
        }
    }
}
