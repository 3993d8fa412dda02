internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The content of one INPUT.
struct InputContent {
    /// The name for results: the path, `-` for standard input, or `argument`.
    let name: String
    let bytes: [UInt8]

    var isFile = false

    /// The name for messages.
    var title: String {
        switch name {
        case _ where isFile: name
        case "-": "standard input"
        default: "the argument"
        }
    }
}

/// Reads each INPUT, which is a file, standard input or the receipt itself.
struct InputReader {
    private static let batchHint = "verify-receipt batch reads files of any size, line by line"

    /// Returns the operands of a command line, or standard input if there are none, after checking what no input can
    /// be.
    static func checkedOperands(of arguments: Arguments) throws(UsageError) -> [String] {
        let operands = try operands(of: arguments)
        guard operands.filter({ $0 == "-" }).count < 2 else { throw .repeatedStandardInput }
        for operand in operands where operand != "-" {
            guard !operand.isEmpty else {
                throw UsageError("an input is empty", hint: "a shell variable may be unset")
            }
        }
        return operands
    }

    /// The operands; a single `-` if there are none and standard input is not a terminal.
    static func operands(of arguments: Arguments) throws(UsageError) -> [String] {
        guard arguments.operands.isEmpty else { return arguments.operands }
        guard !SystemCalls.isTerminal(0) else {
            throw UsageError("no input is given", hint: "name a file, or - for standard input, or see --help")
        }
        return ["-"]
    }

    /// Reads one of the checked operands.
    static func read(_ operand: String, _ messages: Messages) throws(UsageError) -> InputContent {
        if operand == "-" {
            return InputContent(
                name: "-", bytes: try FileAccess.readStandardInput(messages, hintIfLarge: Escaped(batchHint)))
        }
        if let bytes = try FileAccess.readIfPresent(operand, hintIfLarge: Escaped(batchHint)) {
            return InputContent(name: operand.shownPath, bytes: bytes, isFile: true)
        }
        guard looksLikeReceipt(operand) else { throw .noSuchInput(operand) }
        return InputContent(name: "argument", bytes: PathBytes.bytes(of: operand))
    }

    /// Returns whether an operand that is not the path of a file is a receipt.
    ///
    /// A mistyped path is far more common than a receipt with an unknown beginning, so the operand must look like a
    /// receipt, or like something that is passed for one, such as an order ID.
    private static func looksLikeReceipt(_ operand: String) -> Bool {
        if operand.contains("\n") || operand.utf8.count > 1024 { return true }
        let beginning = operand.drop { $0 == " " || $0 == "\t" }
        if beginning.hasPrefix("eyJ") || ["{", "[", "\"", "'", "%"].contains(where: beginning.hasPrefix) {
            return true
        }
        let bytes = PathBytes.bytes(of: operand)
        let found = ReceiptInput.detect(bytes)
        if found.contains(where: { if case .unrecognized = $0 { false } else { true } }) { return true }
        let isPath = operand.contains("/") && !operand.contains("://") || ForeignInput.isFileName(operand)
        return !isPath && ForeignInput(recognizing: bytes) != nil
    }
}

extension UsageError {
    /// The error for two operands that are both `-`.
    static var repeatedStandardInput: UsageError {
        UsageError("standard input is named twice", hint: "give - only once")
    }

    /// The error for an operand that is not the path of a file.
    static func noSuchInput(_ path: String) -> UsageError {
        let command = WordSearch.nearest(to: path, in: Command.allCases.map(\.name))
        return UsageError(
            "no such file: \(path)",
            hint: command.map { "did you mean the command \($0)" }
                ?? "an input is a file, - for standard input, or the receipt itself"
        )
    }
}
