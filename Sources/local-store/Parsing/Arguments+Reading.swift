internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

// Reads operands and flags that several commands take.
extension Arguments {
    // MARK: Operands

    /// Throws if there are operands.
    func checkNoOperands() throws(UsageError) {
        _ = try checkedOperands(atMost: 0)
    }

    /// Returns the operands; throws if there are more than `count`.
    func checkedOperands(atMost count: Int) throws(UsageError) -> [String] {
        guard operands.count > count else { return operands }
        let unexpected = operands[count]
        guard !isCommandNamed else {
            throw UsageError(
                "unexpected argument \(Escaped(unexpected).quoted)", hint: "see local-store \(command.name) --help"
            )
        }
        // Without a command on the command line, a misspelt command is parsed as an operand.
        let nearest = WordSearch.nearest(to: unexpected, in: Command.allCases.map(\.name))
        throw UsageError(
            "unknown command \(Escaped(unexpected).quoted)",
            hint: nearest.map { "did you mean \($0)" } ?? "see local-store --help"
        )
    }

    /// Returns the only operand; throws if it is missing or there are more.
    ///
    /// - Parameter noun: What the operand is, with an article, such as `a product`.
    func requiredOperand(_ noun: String, hint: String) throws(UsageError) -> String {
        guard let operand = try checkedOperands(atMost: 1).first else {
            throw UsageError("\(command.name) needs \(noun)", hint: Escaped(hint))
        }
        return operand
    }

    // MARK: Flags

    /// Returns the value of `--seed`; nil if the flag is absent.
    func seed() throws(UsageError) -> UInt64? {
        guard let text = value(of: .seed) else { return nil }
        guard let seed = UInt64(text) else {
            throw UsageError(
                "invalid value \(Escaped(text).quoted) for --seed", hint: "give a whole number, 0 or greater"
            )
        }
        return seed
    }

    /// Returns the payment schedule that `--billing-plan` names; nil if the flag is absent.
    func requestedBillingPlan() -> BillingPlanType? {
        value(of: .billingPlan).map { $0.lowercased() == "monthly" ? .monthly : .billedUpfront }
    }

    /// Returns the offer that `--offer`, `--code` or `--win-back` names; nil if none of them is given.
    func requestedOffer() throws(UsageError) -> RequestedOffer? {
        let flags = [Flag.offer, .code, .winBack].filter(mentions)
        guard let flag = flags.first, let name = value(of: flag) else { return nil }
        guard flags.count == 1 else {
            throw UsageError(
                "\(flags[0].spelling) cannot be used with \(flags[1].spelling)", hint: "a purchase takes one offer"
            )
        }
        return switch flag {
        case .offer: .promotional(id: name)
        case .code: .code(name: name)
        default: .winBack(id: name)
        }
    }
}
