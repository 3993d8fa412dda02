internal import CommandLineInterface
internal import ReceiptTypes

/// `codes`: lists the codes of failures, or explains some of them.
struct CodesCommand {
    let session: Session

    func run() throws -> ExitCode {
        let names = session.arguments.operands
        let codes = try names.isEmpty ? VerificationFailure.Code.all : names.map { try Self.code(named: $0) }
        if session.writesJSON {
            for code in codes { try session.writeLine(Self.object(code), as: .code) }
        } else if names.isEmpty {
            try list(codes)
        } else {
            for (index, code) in codes.enumerated() {
                if index > 0 { try session.output.writeLine("") }
                try explain(code)
            }
        }
        return .success
    }

    private static func code(named name: String) throws(UsageError) -> VerificationFailure.Code {
        let names = VerificationFailure.Code.all.map(\.rawValue)
        guard let known = WordSearch.match(name, in: names) else {
            throw UsageError(
                "there is no code \(Escaped(name).quoted)",
                hint: WordSearch.nearest(to: name, in: names).map { "did you mean \($0)" }
                    ?? "verify-receipt codes lists them")
        }
        return VerificationFailure.Code(rawValue: known)
    }

    // MARK: Output

    /// Prints a line for each code, in the order of the steps.
    private func list(_ codes: [VerificationFailure.Code]) throws {
        var table = TextTable()
        for code in codes {
            table.add([code.rawValue, Self.verdict(code).rawValue, code.step.rawValue, code.meaning])
        }
        try table.write(to: session.output)
    }

    private func explain(_ code: VerificationFailure.Code) throws {
        let failure = VerificationFailure(code: code)
        var table = TextTable()
        table.add(["  verdict", Self.verdict(code).rawValue])
        table.add(["  step", code.step.rawValue])
        table.add(["  meaning", code.meaning])
        table.add(["  what to try", failure.hintWithRemedy])
        table.add(["  try again", code.isRetryable ? "yes, the same receipt can be verified later" : "no"])
        table.add(["  app shows", code.errorCode.rawValue])
        try session.output.writeLine(session.style.bold("\(code)"))
        try table.write(to: session.output)
    }

    private static func object(_ code: VerificationFailure.Code) -> JSONObject {
        [
            "type": .string("code"), "code": .string(code.rawValue), "verdict": .string(verdict(code).rawValue),
            "step": .string(code.step.rawValue), "meaning": .string(code.meaning), "hint": .string(code.hint),
            "retryable": .boolean(code.isRetryable), "errorCode": .string(code.errorCode.rawValue),
        ]
    }

    private static func verdict(_ code: VerificationFailure.Code) -> Verdict { VerificationFailure(code: code).verdict }
}
