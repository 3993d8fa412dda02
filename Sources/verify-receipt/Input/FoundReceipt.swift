internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// A receipt found in an INPUT.
struct FoundReceipt {
    /// The name of the input.
    let source: String
    /// The number of the receipt within its input, from 1.
    let item: Int
    /// The number of the line in which the receipt begins, from 1; nil if it does not stand in the input as it is.
    let line: Int?
    let input: ReceiptInput
    /// The complete input; nil if there are more receipts in it.
    let content: [UInt8]?
    /// The heading of the receipt's output; nil if it is the only receipt of the command line.
    let title: String?

    /// Calls `body` with each receipt in the inputs of a command line, and with its number from 0.
    ///
    /// One input is in memory at a time. Receipts among other text are searched for, and the search is reported. If one
    /// of several inputs cannot be read, that is reported and recorded, and the others are read.
    ///
    /// - Parameters:
    ///   - redaction: The pseudonyms that stand in place of the names of files.
    ///   - playKeys: The keys that decide between several signatures of a Google Play purchase.
    static func forEach(
        in session: Session, _ redaction: Redaction? = nil, playKeys: PlayKeyring = .init(),
        _ body: (Int, FoundReceipt) throws -> Void
    ) throws {
        var number = 0
        let operands = try InputReader.checkedOperands(of: session.arguments)
        for operand in operands {
            let content: InputContent
            do throws(UsageError) {
                content = try InputReader.read(operand, session.messages)
            } catch {
                guard operands.count > 1 else { throw error }
                session.messages.error(error)
                session.output.record(.unusable)
                continue
            }
            let searched = SearchedInput(content.bytes, SignatureTrials(playKeys))
            report(searched, content, session.messages)
            let isOnly = searched.receipts.count == 1
            let name = content.isFile ? redaction?.pseudonym(of: content.name) ?? content.name : content.name
            let lines = searched.lines(in: content.bytes)
            for (index, input) in searched.receipts.enumerated() {
                let place = lines[index].map { ", line \($0)" } ?? ""
                let title = isOnly ? name : "\(name), receipt \(index + 1)\(place)"
                try body(
                    number,
                    FoundReceipt(
                        source: name, item: index + 1, line: lines[index], input: input,
                        content: isOnly ? content.bytes : nil,
                        title: isOnly && operands.count == 1 ? nil : title))
                number += 1
            }
        }
    }

    private static func report(_ searched: SearchedInput, _ content: InputContent, _ messages: Messages) {
        if searched.isFoundBySearch {
            messages.note(
                "found \(searched.summary) in \(GroupedNumber(content.bytes.count)) bytes of \(content.title)")
        }
        if !searched.isSearchComplete {
            messages.warn(
                "\(content.title) was not searched to its end, because it exceeds the limits of a search",
                hint: "pass the receipts without the text around them")
        }
        if let secret = ForeignInput.privateKey(in: content.bytes) {
            messages.warn("\(content.title) contains \(secret.name)", hint: Escaped(secret.hint))
        }
    }
}
