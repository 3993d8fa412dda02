import Foundation

/// A file of shell commands with their output and exit codes:
///
/// ```
/// # Title with requirement ids [CARD-6]
/// $ verify-receipt --version
/// > a line on standard output
/// ! a line on standard error
/// = 0
/// ```
///
/// The exit code is omitted if it is 0. All other lines are comments.
package struct Transcript: Sendable {
    package struct Step: Sendable {
        package var command: String
        package var outcome: Outcome
    }

    package struct Outcome: Sendable, Equatable {
        package var output: [String] = []
        package var errorOutput: [String] = []
        package var code: Int32 = 0
    }

    package enum Element: Sendable {
        case comment(String)
        case step(Step)
    }

    package let name: String
    package var elements: [Element]

    /// The first comment, or the name of the file.
    package var title: String {
        for case .comment(let text) in elements where text.hasPrefix("# ") { return String(text.dropFirst(2)) }
        return name
    }

    /// Parses a file.
    package init(name: String, text: String) {
        self.name = name
        elements = []
        var lines = text.components(separatedBy: "\n")
        if lines.last == "" { lines.removeLast() }
        for line in lines {
            let content = String(line.dropFirst(2))
            guard case .step(var step)? = elements.last, let mark = line.first, "=>!".contains(mark) else {
                elements.append(
                    line.hasPrefix("$ ") ? .step(Step(command: content, outcome: Outcome())) : .comment(line))
                continue
            }
            switch mark {
            case ">": step.outcome.output.append(content)
            case "!": step.outcome.errorOutput.append(content)
            default: step.outcome.code = Int32(content) ?? -1
            }
            elements[elements.count - 1] = .step(step)
        }
    }

    /// The content of the file.
    package var text: String {
        var lines: [String] = []
        for element in elements {
            switch element {
            case .comment(let line): lines.append(line)
            case .step(let step):
                lines.append("$ " + step.command)
                lines += step.outcome.output.map { $0.isEmpty ? ">" : "> " + $0 }
                lines += step.outcome.errorOutput.map { $0.isEmpty ? "!" : "! " + $0 }
                if step.outcome.code != 0 { lines.append("= \(step.outcome.code)") }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
