internal import ReceiptTypes

extension Timestamp {
    /// Reads a date of an app receipt: RFC 3339, or the same with an offset without a colon (ISO 8601), such as
    /// `2023-10-19T04:45:40+0300`, as Xcode writes it outside of UTC.
    init?(appReceiptDate text: String) {
        let offset = text.utf8.suffix(5)
        guard let sign = offset.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            offset.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            self.init(rfc3339: text)
            return
        }
        self.init(rfc3339: "\(text.dropLast(2)):\(text.suffix(2))")
    }
}
