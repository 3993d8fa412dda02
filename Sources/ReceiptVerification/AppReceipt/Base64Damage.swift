/// What a program did to the base64 of an app receipt that decoded it, stored it or sent it in the wrong way.
enum Base64Damage {
    /// Blanks stand where `+` belongs.
    case blanks(count: Int)
    /// All letters have the same case.
    case lostCase

    /// Recognizes the damage; nil if there is none of which the receipt is evidence.
    init?(of receipt: [UInt8], decoded: [UInt8]?) {
        if AppReceiptForm.isCaselessPKCS7(Array(receipt.prefix(AppReceiptScan.headLength))) {
            self = .lostCase
        } else if receipt.firstIndex(of: " ", from: 0) != nil, decoded.map(AppReceiptScan.isContainer) != true,
            let repaired = InputDetector.looseBase64(receipt.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }),
            AppReceiptScan.isContainer(repaired)
        {
            self = .blanks(count: receipt.count { $0 == 0x20 })
        } else {
            return nil
        }
    }

    var name: String {
        switch self {
        case .blanks(let count):
            count == 1 ? "base64 with a blank where + belongs" : "base64 with \(count) blanks where + belongs"
        case .lostCase: LostCase.name
        }
    }

    var hint: String {
        switch self {
        case .blanks:
            "a form decoder turns + into a blank: send the receipt in JSON, or percent-encode it and decode it once"
        case .lostCase: LostCase.hint
        }
    }

    /// Returns the bytes of the complete groups of four digits at the beginning of a receipt.
    static func wholeGroups(of receipt: [UInt8]) -> [UInt8] {
        let digits = receipt.filter { !$0.isWhiteSpace }.prefix { ByteSet.base64Digits.contains($0) }
        return InputDetector.looseBase64(Array(digits.prefix(digits.count / 4 * 4))) ?? []
    }
}
