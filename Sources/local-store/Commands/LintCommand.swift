internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `lint`: reports errors and warnings in `.storekit` files.
struct LintCommand {
    let session: Session

    func run() throws -> ExitCode {
        let paths = session.arguments.operands
        guard !paths.isEmpty else {
            throw UsageError("lint needs a file", hint: "write local-store lint FILE.storekit")
        }
        guard paths.filter({ $0 == "-" }).count < 2 else {
            throw UsageError("standard input is given more than once", hint: "give - only once")
        }
        for path in paths {
            let bytes =
                try path == "-"
                ? FileAccess.readStandardInput(session.messages) : FileAccess.readIfPresent(path)
            guard let bytes else { throw UsageError("no such file: \(Escaped(path))") }
            for finding in StoreConfiguration.lint(bytes) {
                if finding.severity == .error { session.output.record(.negative) }
                try write(finding, path)
            }
        }
        return session.output.code
    }

    private func write(_ finding: LintFinding, _ path: String) throws(Output.Failure) {
        guard session.writesJSON else {
            // The description of the finding, with the severity in color.
            let severity = finding.severity.rawValue
            let place = "\(finding.line):\(finding.column): "
            let rest = finding.description.dropFirst(place.count + severity.count)
            let colored =
                finding.severity == .error ? session.style.failure("\(severity)") : session.style.warning("\(severity)")
            return try session.output.writeLine("\(Escaped(path)):\(place)\(colored)\(Escaped(String(rest)))")
        }
        let object: JSONObject = [
            "type": .string("finding"), "file": .string(path.shownPath), "line": .integer(Int64(finding.line)),
            "column": .integer(Int64(finding.column)), "severity": .string(finding.severity.rawValue),
            "code": .string(finding.code.rawValue), "path": .string(finding.path), "message": .string(finding.message),
            "expected": .optionalString(finding.expected), "found": .optionalString(finding.found),
            "hint": .optionalString(finding.hint),
        ]
        try session.writeLine(object, as: .finding)
    }
}
