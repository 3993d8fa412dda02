package import CommandLineInterface

/// Finds mistakes in a tool's tables of commands and flags that the compiler cannot see.
package enum TableCheck<Program: ToolDefinition> {
    /// The mistakes, one line each.
    package static var problems: [String] { commandProblems + flagProblems + exampleProblems }

    private static var commandProblems: [String] {
        let commands = Program.Command.allCases.map(\.definition)
        var problems = duplicates(commands.map(\.name)).map { "two commands are named \($0)" }
        for command in commands {
            problems += summaryProblems(command.summary, of: command.name)
            if command.examples.isEmpty { problems.append("\(command.name) has no example") }
            for paragraph in command.description where !paragraph.hasSuffix(".") {
                problems.append("\(command.name): no full stop: \(paragraph)")
            }
        }
        return problems
    }

    private static var flagProblems: [String] {
        let flags = Program.Flag.allCases.map(\.definition)
        let doubled = Program.Command.allCases.flatMap { command in
            duplicates(Program.flags(of: command).map(\.name)).map { "two flags of \(command.name) are named --\($0)" }
        }
        var problems = Set(doubled).sorted()
        problems += duplicates(flags.compactMap(\.short)).map { "two flags are named -\($0)" }
        for flag in flags {
            let name = "--\(flag.name)"
            problems += summaryProblems(flag.summary, of: name)
            if flag.commands.isEmpty { problems.append("\(name) belongs to no command") }
            if flag.name.hasPrefix("no-") { problems.append("\(name) reads as a negation") }
            if flag.isNegatable, flag.value != nil { problems.append("\(name) has a value and a negation") }
            if !flag.details.isEmpty, !flag.details.hasSuffix(".") { problems.append("\(name): no full stop") }
        }
        return problems
    }

    /// The examples that the tool's own parser rejects.
    private static var exampleProblems: [String] {
        var problems: [String] = []
        for example in Program.Command.allCases.flatMap(\.definition.examples) {
            for words in commandLines(in: example.line) where words.first == Program.name {
                do throws(UsageError) {
                    _ = try ArgumentParser<Program>.parse(Array(words.dropFirst()))
                } catch {
                    problems.append("\(example.line): \(error.message)")
                }
            }
        }
        return problems
    }

    private static func summaryProblems(_ summary: String, of name: String) -> [String] {
        let isWellFormed = !summary.isEmpty && !summary.hasSuffix(".") && summary.first?.isUppercase == false
        return isWellFormed ? [] : ["\(name): a summary starts in lower case and has no full stop"]
    }

    private static func duplicates<Name: Hashable>(_ names: [Name]) -> [Name] {
        Dictionary(grouping: names, by: \.self).filter { $0.value.count > 1 }.map(\.key)
    }

    /// The command lines that a shell line joins with `&&` or `|`, without redirections.
    private static func commandLines(in line: String) -> [[String]] {
        line.split(separator: " ").split { $0 == "&&" || $0 == "|" }.map { words in
            words.prefix { $0 != "<" && $0 != ">" }.map(String.init)
        }
    }
}
