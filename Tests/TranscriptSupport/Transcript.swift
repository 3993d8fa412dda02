import Foundation

/// Commands with what they print and how they end, as a file:
///
/// ```
/// # Title with the ids of requirements [CARD-6]
/// $ verify-receipt --version
/// > what it prints on standard output
/// ! what it prints on standard error
/// = 0
/// ```
///
/// The shell runs each command. The exit code is left out where it is 0. Everything else is a comment and stays.
package struct Transcript: Sendable {
    package struct Step: Sendable {
        package var command: String
        package var outcome: Outcome
    }

    package struct Outcome: Sendable, Equatable {
        package var output: [String] = []
        package var talk: [String] = []
        package var code: Int32 = 0
    }

    package enum Element: Sendable {
        case comment(String)
        case step(Step)
    }

    package let name: String
    package var elements: [Element]

    /// The first comment, which says what the file shows.
    package var title: String {
        for case .comment(let text) in elements where text.hasPrefix("# ") { return String(text.dropFirst(2)) }
        return name
    }

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
            case "!": step.outcome.talk.append(content)
            default: step.outcome.code = Int32(content) ?? -1
            }
            elements[elements.count - 1] = .step(step)
        }
    }

    /// The file's text.
    package var text: String {
        var lines: [String] = []
        for element in elements {
            switch element {
            case .comment(let line): lines.append(line)
            case .step(let step):
                lines.append("$ " + step.command)
                lines += step.outcome.output.map { $0.isEmpty ? ">" : "> " + $0 }
                lines += step.outcome.talk.map { $0.isEmpty ? "!" : "! " + $0 }
                if step.outcome.code != 0 { lines.append("= \(step.outcome.code)") }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
