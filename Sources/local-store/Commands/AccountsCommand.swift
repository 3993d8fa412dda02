internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `accounts`: lists customers, adds one, and changes their families.
struct AccountsCommand {
    let session: Session

    func run() throws {
        let operands = session.arguments.operands
        let action = operands.first ?? "list"
        let names = Array(operands.dropFirst())
        let counts = ["list": 0...0, "add": 1...2, "join": 2...2, "leave": 1...1]
        guard let count = counts[action] else {
            throw UsageError(
                "unknown action \(Escaped(action).quoted) for accounts", hint: "use list, add, join or leave"
            )
        }
        guard names.allSatisfy({ !$0.isEmpty }) else {
            throw UsageError("a name is empty", hint: "check that the shell variable in the command is set")
        }
        guard count.contains(names.count) else {
            throw UsageError(
                "wrong number of names for accounts \(action): \(names.count)", hint: "see local-store accounts --help")
        }
        let opened = try OpenedStore(session, forWriting: action != "list")
        if action != "list" {
            _ = try opened.perform { engine in
                switch action {
                case "add": try engine.addAccount(names[0], family: names.count == 2 ? names[1] : nil)
                case "join": try engine.setFamily(names[1], of: names[0])
                default: try engine.setFamily(nil, of: names[0])
                }
            }
        }
        let accounts = opened.state.accounts.filter { action == "list" || $0.name.isIdentical(to: names[0]) }
        try write(accounts)
    }

    private func write(_ accounts: [StoreAccount]) throws {
        var table = TextTable()
        for account in accounts {
            guard session.writesJSON else {
                table.add([account.name, account.family.map { "family \($0)" } ?? ""])
                continue
            }
            let object: JSONObject = [
                "type": .string("account"), "account": .string(account.name),
                "family": .optionalString(account.family), "appTransactionId": .string(account.appTransactionID),
                "originalPurchaseDate": .string("\(account.originalPurchaseDate)"),
            ]
            try session.writeLine(object, as: .account)
        }
        try table.write(to: session.output)
    }
}
