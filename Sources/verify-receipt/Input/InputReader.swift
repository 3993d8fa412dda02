internal import CommandLineInterface
internal import ReceiptVerification

/// Finds out what each INPUT is, a file, standard input or the receipt itself, and reads it.
struct InputReader {
    private static let batchHint = "verify-receipt batch reads files of any size, line by line"

    private var hasReadStandardInput = false

    /// Reads the operands of a command line; without any, what is piped into the tool.
    static func read(_ arguments: Arguments) throws(UsageError) -> [InputText] {
        var reader = InputReader()
        var texts: [InputText] = []
        for operand in try operands(of: arguments) { texts.append(try reader.read(operand)) }
        return texts
    }

    /// The operands; a single `-` when there are none and something is piped into the tool.
    static func operands(of arguments: Arguments) throws(UsageError) -> [String] {
        guard arguments.operands.isEmpty else { return arguments.operands }
        guard !SystemCalls.isTerminal(0) else {
            throw UsageError("there is no input", hint: "name a file, - for standard input, or see --help")
        }
        return ["-"]
    }

    private mutating func read(_ operand: String) throws(UsageError) -> InputText {
        guard !operand.isEmpty else {
            throw UsageError("an input is empty", hint: "is a variable of the shell not set")
        }
        if operand == "-" {
            guard !hasReadStandardInput else { throw UsageError("standard input is named twice", hint: "give - once") }
            hasReadStandardInput = true
            return InputText(name: "-", bytes: try FileAccess.readStandardInput(hintIfLarge: Self.batchHint))
        }
        if let bytes = try FileAccess.readIfPresent(operand, hintIfLarge: Self.batchHint) {
            return InputText(name: operand, bytes: bytes)
        }
        guard Self.looksLikeReceipt(operand) else { throw Self.noSuchFile(operand) }
        return InputText(name: "argument", bytes: [UInt8](operand.utf8))
    }

    /// Whether an operand that names no file is meant as the receipt itself.
    ///
    /// A mistyped path is far more common than a receipt that begins like nothing known, so the text has to show that it
    /// is one.
    private static func looksLikeReceipt(_ operand: String) -> Bool {
        if operand.contains("\n") || operand.utf8.count > 1024 { return true }
        let beginning = operand.drop { $0 == " " || $0 == "\t" }
        if beginning.hasPrefix("eyJ") || ["{", "[", "\"", "'", "%"].contains(where: beginning.hasPrefix) {
            return true
        }
        let found = ReceiptInput.detect([UInt8](operand.utf8))
        return found.contains { if case .unrecognized = $0 { false } else { true } }
    }

    static func noSuchFile(_ path: String) -> UsageError {
        let command = Spelling.nearest(to: path, in: Command.allCases.map(\.rawValue))
        return UsageError(
            "no such file: \(Escaped(path))",
            hint: command.map { "did you mean the command \($0)" }
                ?? "an input is a file, - for standard input, or the receipt itself"
        )
    }
}
