internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// One receipt of an input, and where it stands.
struct FoundReceipt {
    let source: String
    /// Counts the receipts of one source from 1.
    let item: Int
    let input: ReceiptInput
    /// What to call it where several receipts are judged; nil where there is one.
    let title: String?

    /// The receipts in all inputs of a command line.
    static func all(in arguments: Arguments) throws(UsageError) -> [FoundReceipt] {
        let texts = try InputReader.read(arguments)
        let found = texts.map { (name: $0.name, inputs: ReceiptInput.detect($0.bytes)) }
        let isAlone = found.count == 1 && found[0].inputs.count == 1
        return found.flatMap { name, inputs in
            inputs.enumerated().map { index, input in
                let title = inputs.count == 1 ? name : "\(name), receipt \(index + 1)"
                return FoundReceipt(source: name, item: index + 1, input: input, title: isAlone ? nil : title)
            }
        }
    }
}
