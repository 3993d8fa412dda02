internal import CommandLineInterface

/// The operands of a command that takes few.
enum Operands {
    /// Makes sure that there are none.
    static func none(_ session: Session) throws(UsageError) {
        _ = try upTo(0, session)
    }

    /// The operands, which are no more than so many.
    static func upTo(_ count: Int, _ session: Session) throws(UsageError) -> [String] {
        let operands = session.arguments.operands
        guard operands.count > count else { return operands }
        let name = session.arguments.command.name
        // Where no command was named, a misspelt one stands as an operand.
        let near =
            session.arguments.isCommandNamed
            ? nil : WordSearch.nearest(to: operands[count], in: Command.allCases.map(\.name))
        throw UsageError(
            session.arguments.isCommandNamed
                ? "\(name) does not take \(Escaped(operands[count]).quoted)"
                : "there is no command \(Escaped(operands[count]).quoted)",
            hint: near.map { "did you mean \($0)" }
                ?? (session.arguments.isCommandNamed ? "see local-store \(name) --help" : "see local-store --help")
        )
    }

    /// The only operand.
    static func one(_ session: Session, named noun: String, hint: String) throws(UsageError) -> String {
        guard let operand = try upTo(1, session).first else {
            throw UsageError("\(session.arguments.command.name) needs \(noun)", hint: hint)
        }
        return operand
    }
}
