/// The receipts of an input: those of a format that is read everywhere, or else those that a search has found.
///
/// An input that is exactly one receipt, or JSON of receipts, is never searched: what it contains does not depend on how
/// well a search works.
package struct SearchedInput {
    /// The receipts, in the order of the input; an unrecognized one if there are none.
    package let receipts: [ReceiptInput]
    /// Whether the receipts were among other text or in a wrapping that only a search removes.
    package let isFoundBySearch: Bool

    /// The length from which JSON that is nothing but receipts is not searched for more of them in its other strings.
    private static let maximumSize = 4_194_304

    /// Finds the receipts in an input.
    package init(_ text: [UInt8]) {
        var strict: [ReceiptInput] = []
        // The closure does not throw, so nothing does.
        try? LargeInput.forEachReceipt(in: text) { input, _, _ in strict.append(input) }
        let sound = strict.reduce(0) { $1.isSound ? $0 + 1 : $0 }
        let isAlone = strict.count == 1 && strict[0].isAlone(in: text)
        if sound == strict.count, isAlone || text.count > Self.maximumSize {
            (receipts, isFoundBySearch) = (strict, false)
            return
        }
        let finder = ReceiptFinder(text)
        if finder.receipts.count > sound {
            (receipts, isFoundBySearch) = (finder.receipts + finder.fragments, true)
        } else if sound == 0, !finder.fragments.isEmpty, !isAlone {
            (receipts, isFoundBySearch) = (finder.fragments, true)
        } else {
            (receipts, isFoundBySearch) = (strict, false)
        }
    }

    /// What was found, for a person: "one JWS", or "3 receipts".
    package var summary: String {
        switch receipts.first {
        case .jws? where receipts.count == 1: "one JWS"
        case .play? where receipts.count == 1: "one Google Play purchase"
        case .legacyReceipt? where receipts.count == 1: "one app receipt"
        default: "\(receipts.count) receipts"
        }
    }
}

extension ReceiptInput {
    /// Whether nothing is missing in the form of the receipt.
    var isSound: Bool {
        switch self {
        case .jws(let jws): JWSForm.isSound(jws)
        case .play, .legacyReceipt: true
        case .unrecognized: false
        }
    }

    /// Whether the receipt is a text without anything around it, complete or not: a word that begins or ends like a JWS.
    fileprivate func isAlone(in text: [UInt8]) -> Bool {
        guard case .jws(let jws) = self else { return false }
        return !jws.contains(where: InputDetector.isSpace)
            && jws == InputDetector.joiningLines(InputDetector.trimmed(text))
    }
}
