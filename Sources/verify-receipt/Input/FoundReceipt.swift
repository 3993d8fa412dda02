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

    /// Calls `body` with each receipt in the inputs of a command line, and with its number from 0.
    ///
    /// One input is in memory at a time.
    static func forEach(in arguments: Arguments, _ body: (Int, FoundReceipt) throws -> Void) throws {
        var number = 0
        let operands = try InputReader.checkedOperands(of: arguments)
        for operand in operands {
            let content = try InputReader.read(operand)
            try LargeInput.forEachReceipt(in: content.bytes) { input, item, isOnly in
                let title = isOnly ? content.name : "\(content.name), receipt \(item)"
                let isOnlyReceipt = isOnly && operands.count == 1
                try body(
                    number,
                    FoundReceipt(source: content.name, item: item, input: input, title: isOnlyReceipt ? nil : title))
                number += 1
            }
        }
    }
}
