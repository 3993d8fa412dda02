internal import ReceiptTypes

/// The receipts of an input: those of a format that is read everywhere, and those that a search finds.
///
/// A search adds receipts and fragments, and takes nothing away: a receipt that is read everywhere keeps its result,
/// unless it is one that a search has found, with other text around it. An input that is exactly one receipt is never
/// searched: what it contains does not depend on how well a search works.
package struct SearchedInput {
    /// The receipts, complete or not; an unrecognized one if there are none, and the text itself if its search has
    /// reached a limit.
    package let receipts: [ReceiptInput]
    /// Whether the receipts were among other text or in a wrapping that only a search removes.
    package let isFoundBySearch: Bool
    /// Whether the input was searched to its end; false if it exceeds a limit of a search.
    package let isSearchComplete: Bool

    /// Finds the receipts in an input.
    ///
    /// - Parameter trials: Decides between several signatures of a Google Play purchase; nil if no key is known.
    package init(_ input: [UInt8], _ trials: SignatureTrials? = nil) {
        self.init(input, SearchBudget(forTextOf: input.count, trials))
    }

    init(_ input: [UInt8], _ budget: SearchBudget) {
        let text = Self.withoutEndOfFile(input)
        var strict: [ReceiptInput] = []
        // The closure does not throw, so nothing does.
        try? LargeInput.forEachReceipt(in: text, budget.trials) { input, _, _ in strict.append(input) }
        let isAlone = strict.count == 1 && strict[0].isAlone(in: text)
        guard !isAlone || !strict[0].isSound else {
            (receipts, isFoundBySearch, isSearchComplete) = (strict, false, true)
            return
        }
        // The texts of refused receipts are searched with the same budget.
        let finder = ReceiptFinder(ScannedText(text, budget))
        var found = Self.union(strict, finder.findings, isAlone: isAlone, budget)
        isSearchComplete = finder.isComplete && !budget.isExceeded
        if !isSearchComplete { found = found.filter { $0 != .unrecognized(text) } + [.unsearched(text)] }
        receipts = found
        isFoundBySearch = found.contains(where: \.isReceipt) && found != strict
    }

    /// Returns a text file of Windows without its final Control-Z; binary data, which have a zero, as they are.
    private static func withoutEndOfFile(_ text: [UInt8]) -> [UInt8] {
        text.last == 0x1A && text.first != 0x30 && !text.contains(0) ? text.dropLast() : text
    }

    private static func union(
        _ strict: [ReceiptInput],
        _ found: ReceiptFinder.Findings,
        isAlone: Bool,
        _ budget: SearchBudget
    ) -> [ReceiptInput] {
        let sound = strict.filter { $0.isSound && !$0.isBeginning(ofReceiptIn: found.receipts) }
        let known = Set(sound.map(\.identity))
        // The search keeps the order of the text, also for receipts of different formats.
        let hasMore = found.receipts.count > sound.count && known.isSubset(of: found.receipts.map(\.identity))
        let receipts = hasMore ? found.receipts : sound + found.receipts.filter { !known.contains($0.identity) }
        // The only receipt is the complete text, of which every part was searched.
        let refused: [ReceiptInput]
        if strict.count == 1, sound.isEmpty {
            let isCovered =
                found.receipts.isEmpty
                ? !isAlone && !found.fragments.isEmpty : isAlone || !isRefusal(strict[0], found, budget)
            refused = isCovered ? [] : strict
            if isAlone, !refused.isEmpty { return refused }
        } else {
            let all = Set(found.receipts.map(\.identity))
            refused = strict.filter { !$0.isSound && !$0.contains(receiptsAmong: all, budget) }
        }
        let reported = Set(refused)
        return receipts + refused + found.fragments.filter { !reported.contains($0) }
    }

    /// Whether the only receipt of a text is a JWS of its own, and not text around what was found.
    private static func isRefusal(
        _ receipt: ReceiptInput, _ found: ReceiptFinder.Findings, _ budget: SearchBudget
    ) -> Bool {
        guard case .jws = receipt else { return false }
        return !receipt.contains(receiptsAmong: Set(found.receipts.map(\.identity)), budget)
    }

    /// Returns the numbers of the lines of the input in which the receipts begin, from 1; nil for one that does not
    /// stand in it as it is. A purchase counts with its signature.
    package func lines(in input: [UInt8]) -> [Int?] { ReceiptLines.lines(of: receipts, in: input) }

    /// What was found, for a person: "one JWS", or "3 receipts".
    package var summary: String {
        let found = receipts.filter(\.isReceipt)
        guard found.count < 2 else { return "\(found.count) receipts" }
        return switch found.first {
        case .jws: "one JWS"
        case .play: "one Google Play purchase"
        case .appReceipt: "one app receipt"
        case .unrecognized, .unsearched, nil: "no complete receipt"
        }
    }
}

extension ReceiptInput {
    /// The receipt in a form in which two spellings of it are equal: base64 can have escapes, line breaks
    /// and padding.
    fileprivate var identity: ReceiptInput {
        switch self {
        case .appReceipt(let text) where text.first != 0x30:
            .appReceipt(InputDetector.looseBase64(text) ?? text)
        case .play(let data, let signature):
            .play(data: data, signature: signature.withRawSpan { PlayValue.digits($0) } ?? signature)
        default: self
        }
    }

    /// Whether it is the beginning of an app receipt that a search has found complete, such as its first line.
    fileprivate func isBeginning(ofReceiptIn receipts: [ReceiptInput]) -> Bool {
        // In a text with many receipts, a comparison of all with all would take quadratic time.
        guard case .appReceipt(let text) = self, receipts.count <= 64 else { return false }
        return receipts.contains { receipt in
            guard case .appReceipt(let other) = receipt else { return false }
            return other.count > text.count && other.starts(with: text)
        }
    }

    /// Whether nothing is missing in the form of the receipt.
    var isSound: Bool {
        switch self {
        case .jws(let jws): JWSForm.isSound(jws)
        case .play, .appReceipt: true
        case .unrecognized, .unsearched: false
        }
    }

    /// Whether it is a receipt, complete or not.
    var isReceipt: Bool {
        switch self {
        case .jws, .play, .appReceipt: true
        case .unrecognized, .unsearched: false
        }
    }

    /// Whether the receipt is a text without anything around it, complete or not: a word that begins or ends like a
    /// JWS.
    fileprivate func isAlone(in text: [UInt8]) -> Bool {
        switch self {
        case .jws(let jws):
            !jws.contains(where: \.isWhiteSpace) && jws == InputDetector.joiningLines(InputDetector.trimmed(text))
        case .appReceipt(let receipt): receipt == InputDetector.trimmed(text) || receipt == text
        case .play, .unrecognized, .unsearched: false
        }
    }

    /// Whether the text of an incomplete receipt is that of complete ones, with other text around them.
    ///
    /// - Parameter found: The complete receipts, in the form in which two spellings are equal.
    fileprivate func contains(receiptsAmong found: Set<ReceiptInput>, _ budget: SearchBudget) -> Bool {
        switch self {
        case .jws(let text), .unrecognized(let text):
            let receipts = ReceiptFinder(ScannedText(text, budget)).findings.receipts
            return !receipts.isEmpty && found.isSuperset(of: receipts.map(\.identity))
        case .play, .appReceipt, .unsearched: return false
        }
    }
}
