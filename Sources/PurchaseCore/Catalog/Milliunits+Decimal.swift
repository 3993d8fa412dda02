public import ReceiptTypes

extension Milliunits {
    /// Reads a decimal such as `39.99`, digit by digit; nil for any other text, for more than Int64 holds, and for
    /// fractions of a thousandth.
    public init?(decimal text: String) {
        var digits = text.utf8[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        var fraction = parts.count == 2 ? [UInt8](parts[1]) : []
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        guard fraction.count <= 3 else { return nil }
        fraction += Array(repeating: UInt8(ascii: "0"), count: 3 - fraction.count)
        var value: Int64 = 0
        for digit in parts[0] + fraction {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let step = Int64(digit - UInt8(ascii: "0"))
            let (sum, overflow) =
                isNegative
                ? product.subtractingReportingOverflow(step) : product.addingReportingOverflow(step)
            guard !tooLarge, !overflow else { return nil }
            value = sum
        }
        self.init(value)
    }
}
