internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// A receipt found in an INPUT.
struct FoundReceipt {
    /// The name of the input.
    let source: String
    /// The number of the receipt within its input, from 1.
    let item: Int
    let input: ReceiptInput
    /// The heading of the receipt's output; nil if it is the only receipt of the command line.
    let title: String?

    /// Returns the receipts in all inputs of a command line.
    static func all(in arguments: Arguments) throws(UsageError) -> [FoundReceipt] {
        let contents = try InputReader.read(arguments)
        let found = contents.map { (name: $0.name, inputs: ReceiptInput.detect($0.bytes)) }
        let isOnlyReceipt = found.count == 1 && found[0].inputs.count == 1
        return found.flatMap { name, inputs in
            inputs.enumerated().map { index, input in
                let title = inputs.count == 1 ? name : "\(name), receipt \(index + 1)"
                return FoundReceipt(source: name, item: index + 1, input: input, title: isOnlyReceipt ? nil : title)
            }
        }
    }
}
