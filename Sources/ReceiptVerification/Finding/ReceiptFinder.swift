internal import ReceiptTypes

/// Finds receipts in any text: mail, logs, source code, form bodies, and encodings of these.
///
/// A search goes through the text in rounds:
///
/// 1. Find the compact JWS (``JWSScan``), the purchases in JSON (``JSONScan``) and in the text itself
///    (``PurchaseScan``), and the complete app receipts (``AppReceiptScan``), and cut them out.
/// 2. Take one wrapping off the rest (``Unwrapping``), and repeat until no step of ``Unwrapping`` changes the text.
/// 3. Find the fragments in the last rest: what looks like a receipt and is incomplete or damaged.
/// 4. Search the content of the base64 in the last rest (``Base64Scan``) in the same way, one level deeper.
///
/// **A search never repairs a receipt.** It decides which bytes are a receipt, and the verifier checks these bytes as
/// strictly as if they had come alone. Only an encoding of the complete text is decoded, such as quoted-printable, and
/// only white space is left out between the characters of a JWS. Nothing removes the padding of a segment, replaces a
/// character of another alphabet, or cuts a word that is too long: such a JWS is a fragment with its flaw, also where a
/// wrapping continues the word, such as `%41`. So a text in which an invalid receipt becomes a valid one contains the
/// valid one, with wrapping around or between its characters.
///
/// **A search hides nothing.** Only a complete receipt is cut out, so a fragment stays in the text to the end, and is
/// reported beside the receipts. A search that reaches a limit says so (``isComplete``).
///
/// **The cost is linear.** Each pass looks at a byte a fixed number of times, depth and layers have limits, and one
/// ``SearchBudget`` counts every look at the text.
package struct ReceiptFinder {
    /// The deepest nesting of base64 and of JSON strings that is searched; base64 of base64 of a purchase needs 3.
    static let maximumDepth = 6
    /// The most layers of wrapping that are taken off one text.
    static let maximumLayers = 12
    /// The most fragments of one layer that are compared after one was not found.
    private static let maximumMissing = 16
    /// The largest purchase that is read, since the tree of its JSON takes up to thirty times as much memory.
    private static let maximumPurchaseSize = 1_048_576

    /// What a text contains.
    struct Findings {
        /// The complete receipts: a JWS of three segments with a signature of 64 bytes, a purchase with its signature,
        /// or an app receipt.
        var receipts: [ReceiptInput] = []
        /// What looks like a receipt and is incomplete or damaged.
        var fragments: [ReceiptInput] = []

        init(receipts: [ReceiptInput] = []) { self.receipts = receipts }

        /// Divides purchases and damaged ones.
        init(_ purchases: [ReceiptInput]) {
            receipts = purchases.filter(\.isReceipt)
            fragments = purchases.filter { !$0.isReceipt }
        }

        var isEmpty: Bool { receipts.isEmpty && fragments.isEmpty }

        var dataOfPurchases: [[UInt8]] {
            receipts.compactMap { if case .play(let data, _) = $0 { data } else { nil } }
        }

        func hasPurchase(orDamagedOne: Bool) -> Bool {
            receipts.contains { if case .play = $0 { true } else { false } }
                || orDamagedOne && fragments.contains { if case .unrecognized = $0 { true } else { false } }
        }

        static func += (findings: inout Self, more: Self) {
            findings.receipts += more.receipts
            findings.fragments += more.fragments
        }
    }

    /// What the complete text contains, in the order of the text within each round.
    private(set) var findings = Findings()
    /// Whether the text was searched to its end; false if it exceeds a limit.
    var isComplete: Bool { !isTooDeep && !budget.isExceeded }
    private var isTooDeep = false
    private let budget: SearchBudget

    /// Searches a text.
    init(_ text: [UInt8]) {
        self.init(ScannedText(text))
    }

    /// Searches a text that shares its budget with others.
    init(_ text: ScannedText) {
        budget = text.budget
        findings = search(text, depth: 0)
        var known: Set<ReceiptInput> = []
        findings.fragments = findings.fragments.filter { known.insert($0).inserted }
    }

    // MARK: Rounds

    private mutating func search(_ text: ScannedText, depth: Int) -> Findings {
        var found = Findings()
        guard depth <= Self.maximumDepth else {
            isTooDeep = true
            return found
        }
        var rest = text
        var layer = 0
        var areLinesJoined = false
        var arePurchasesCut = false
        var fragments: [JWSCandidate] = []
        // The data of purchases without a signature, which stay in the text: a later layer may have it.
        var unpaired: [[UInt8]] = []
        // The app receipts that are incomplete or damaged.
        var appReceipts: [AppReceiptCandidate] = []
        var lastWrapping: Unwrapping?
        while true {
            let candidates = JWSScan.candidates(in: rest).filter { !$0.isToken && ($0.isComplete || $0.isFragment) }
            guard !budget.isExceeded else { break }
            // A step of unwrapping that destroys a fragment does not hide it, such as one in angle brackets. What is
            // decoded from UTF-16 was no text before, so none of it is a fragment of what was.
            let lost = lastWrapping == .utf16 ? fragments : self.fragments(fragments, missingIn: candidates)
            found.fragments += lost.map { .jws($0.jws) }
            let receipts = AppReceiptScan.candidates(in: rest)
            guard !budget.isExceeded else { break }
            found.receipts += self.receipts(appReceipts, missingIn: receipts).map { .appReceipt($0.receipt) }
            appReceipts = receipts.filter { !$0.isFinal }
            let cutReceipts = receipts.filter(\.isFinal)
            // The characters that a dump shows beside its bytes can begin like a JWS.
            fragments = outside(cutReceipts, candidates.filter { !$0.isComplete })
            let parts = parts(cutReceipts)
            rest = cut(jws(candidates) + purchases(in: rest, depth: depth) + parts, out: rest, &found)
            let unwrapped = Unwrapping.unwrap(rest)
            // What stands in the text as it is may have percent signs and backslashes of its own.
            if !arePurchasesCut, unwrapped.map({ $0.wrapping.canBeInPurchase }) ?? true {
                let purchases = writtenPurchases(in: rest, &unpaired)
                if !purchases.isEmpty {
                    rest = cut(purchases, out: rest, &found)
                    lastWrapping = nil
                    // What is left of several purchases is not paired across those.
                    arePurchasesCut = true
                    continue
                }
            }
            // JSON can be read only before its backslashes are removed, and after everything else was.
            if !areLinesJoined, unwrapped == nil || unwrapped?.wrapping == .backslashes {
                areLinesJoined = true
                let purchases =
                    purchases(in: rest, depth: depth, joiningLines: true)
                    + writtenPurchases(in: rest, joiningLines: true, &unpaired)
                if !purchases.isEmpty {
                    rest = cut(purchases, out: rest, &found)
                    lastWrapping = nil
                    continue
                }
            }
            guard let unwrapped, !budget.isExceeded else { break }
            guard layer < Self.maximumLayers else {
                isTooDeep = true
                break
            }
            rest = unwrapped.text
            arePurchasesCut = false
            lastWrapping = unwrapped.wrapping
            layer += 1
        }
        if budget.isExceeded { found.fragments += fragments.map { .jws($0.jws) } }
        found += searchLastRest(rest, depth: depth)
        found.fragments += PlayInputShape.withoutCopies(unpaired, of: found.dataOfPurchases).map { .unrecognized($0) }
        return found
    }

    /// Returns the fragments that are not among the candidates of the unwrapped text, in which both have the same
    /// order.
    ///
    /// A fragment ends where a wrapping begins, so the candidate that it is a part of begins like it.
    private func fragments(_ fragments: [JWSCandidate], missingIn candidates: [JWSCandidate]) -> [JWSCandidate] {
        var missing: [JWSCandidate] = []
        var rest = candidates[...]
        for fragment in fragments {
            let beginning = fragment.beginning
            // More searches for the next candidate would take quadratic time, and a fragment too many hides nothing.
            let found =
                missing.count < Self.maximumMissing && budget.spend(fragment.jws.count)
                ? rest.firstIndex { budget.spend(beginning.count + 1) && $0.jws.starts(with: beginning) } : nil
            guard let found else {
                missing.append(fragment)
                continue
            }
            rest = rest[(found + 1)...]
        }
        return missing
    }

    /// Returns the candidates that overlap no app receipt; both are in the order of the text.
    private func outside(_ receipts: [AppReceiptCandidate], _ candidates: [JWSCandidate]) -> [JWSCandidate] {
        var rest = receipts[...]
        return candidates.filter { candidate in
            while let first = rest.first, first.range.upperBound <= candidate.range.lowerBound { rest.removeFirst() }
            return rest.first.map { !$0.range.overlaps(candidate.range) } ?? true
        }
    }

    /// Returns the damaged app receipts of which the unwrapped text has not even the beginning.
    private func receipts(
        _ receipts: [AppReceiptCandidate], missingIn candidates: [AppReceiptCandidate]
    ) -> [AppReceiptCandidate] {
        let count = AppReceiptScan.headLength / 2
        var missing: [AppReceiptCandidate] = []
        var rest = candidates[...]
        for receipt in receipts {
            let head = receipt.receipt.prefix(count)
            let found =
                missing.count < Self.maximumMissing
                ? rest.firstIndex { budget.spend(count) && $0.receipt.starts(with: head) } : nil
            if let found { rest = rest[(found + 1)...] } else { missing.append(receipt) }
        }
        return missing
    }

    private mutating func searchLastRest(_ text: ScannedText, depth: Int) -> Findings {
        var found = Findings()
        let candidates = JWSScan.candidates(in: text)
        guard budget.spend(text.count) else { return found }
        var rest = text.bytes
        for candidate in candidates where candidate.isFragment || candidate.isToken {
            if !candidate.isToken { found.fragments.append(.jws(candidate.jws)) }
            // The content of a damaged JWS is not searched: a receipt inside it must not stand for the JWS.
            mask(candidate.range, in: &rest)
        }
        for candidate in AppReceiptScan.candidates(in: text.with(rest)) {
            found.receipts.append(.appReceipt(candidate.receipt))
            mask(candidate.range, in: &rest)
        }
        let others = JWSScan.candidatesWithoutBeginning(in: text.with(rest))
        guard !budget.isExceeded else { return found }
        for candidate in others {
            found.fragments.append(.jws(candidate.jws))
            mask(candidate.range, in: &rest)
        }
        let runs = Base64Scan.runs(in: text.with(rest))
        guard !budget.isExceeded else { return found }
        for run in runs { found += search(run, depth: depth) }
        return found
    }

    private mutating func search(_ run: Base64Scan.Run, depth: Int) -> Findings {
        var fragments = Findings()
        for (number, digits) in run.readings.enumerated() {
            // They are compared, decoded, and decoded again without the last ones.
            guard budget.spend(digits.count * 3) else { break }
            guard let content = Base64Scan.content(of: digits) else { continue }
            let found = search(ScannedText(content, budget), depth: depth + 1)
            let isDoubtful = number < run.doubtfulCount
            guard found.isEmpty || isDoubtful && found.receipts.isEmpty else { return found }
            if fragments.isEmpty { fragments = found }
        }
        return fragments
    }

    // MARK: Receipts

    /// What was found at some places of the text, which are cut out of it.
    private struct Part {
        let ranges: [Range<Int>]
        let findings: Findings
        var isAppReceipt = false

        /// Whether it is an app receipt in the text up to an index, which another part contains.
        func isWithin(_ end: Int) -> Bool { isAppReceipt && ranges.allSatisfy { $0.upperBound <= end } }
    }

    private func jws(_ candidates: [JWSCandidate]) -> [Part] {
        candidates.filter(\.isComplete).map {
            Part(ranges: [$0.range], findings: Findings(receipts: [.jws($0.jws)]))
        }
    }

    private func parts(_ candidates: [AppReceiptCandidate]) -> [Part] {
        candidates.map {
            Part(ranges: [$0.range], findings: Findings(receipts: [.appReceipt($0.receipt)]), isAppReceipt: true)
        }
    }

    /// Finds the purchases in the JSON of a text, and in JSON inside the strings of JSON.
    ///
    /// - Parameter joiningLines: Whether line breaks within strings are left out, which a mail program or a terminal
    ///   has inserted. An object that is not JSON even so is read string by string, and is a damaged purchase if that
    ///   finds none.
    private mutating func purchases(in text: ScannedText, depth: Int, joiningLines: Bool = false) -> [Part] {
        guard text.index(of: "{", from: 0) != nil else { return [] }
        let scan = JSONScan(text)
        guard !budget.isExceeded else { return [] }
        var parts: [Part] = []
        for object in scan.purchases where !object.values.contains(where: { text.bytes[$0].elementsEqual([Self.mark]) })
        {
            // The parser looks at each byte some times.
            guard budget.spend(object.range.count * 4) else { break }
            let bytes = Self.content(of: object.range, in: text.bytes, joiningLines: joiningLines)
            var found = Findings()
            if !object.isCut, bytes.count <= Self.maximumPurchaseSize,
                let value = (try? JSONDocument.value(of: bytes))?.object
            {
                found = Findings(PlayInputShape.purchases(in: value, budget.trials))
            } else if joiningLines {
                found = purchasesOfStrings(object.values, in: text)
                if found.receipts.isEmpty { found.fragments = [.unrecognized(bytes)] }
            }
            if !found.isEmpty { parts.append(Part(ranges: object.values, findings: found)) }
        }
        let cut = Set(parts.flatMap(\.ranges).map(\.lowerBound))
        for string in scan.strings where !cut.contains(string.lowerBound) {
            guard budget.spend(string.count * 4) else { break }
            let bytes = Self.content(of: string, in: text.bytes, joiningLines: joiningLines)
            guard let content = JSONScan.unescaped(bytes) else { continue }
            let found = search(text.with(content), depth: depth + 1)
            // A JWS is found in the text as well, when its backslashes are removed.
            if found.hasPurchase(orDamagedOne: joiningLines) { parts.append(Part(ranges: [string], findings: found)) }
        }
        return parts
    }

    /// Finds the purchases in the strings of an object that is no JSON, such as one that ends with a comma.
    ///
    /// Only the values say what the strings are: without a parser, a name can belong to another one.
    private func purchasesOfStrings(_ strings: [Range<Int>], in text: ScannedText) -> Findings {
        guard strings.reduce(0, { $0 + $1.count }) <= Self.maximumPurchaseSize else { return Findings() }
        let values = strings.compactMap { string in
            JSONScan.unescaped(Self.content(of: string, in: text.bytes, joiningLines: true))
                .map { JSONValue.string(String(decoding: $0, as: UTF8.self)) }
        }
        return Findings(PlayInputShape.purchases(among: values, budget.trials))
    }

    /// Finds the purchases whose data and signature stand in a text as they are.
    private func writtenPurchases(
        in text: ScannedText, joiningLines: Bool = false, _ unpaired: inout [[UInt8]]
    ) -> [Part] {
        let found = PurchaseScan.purchases(
            in: text, joiningLines: joiningLines, maximumSize: Self.maximumPurchaseSize)
        unpaired += found.unpaired
        return found.purchases.map {
            Part(
                ranges: $0.ranges,
                findings: Findings(receipts: [.play(data: $0.data, signature: $0.signature)]))
        }
    }

    private static func content(of range: Range<Int>, in text: [UInt8], joiningLines: Bool) -> [UInt8] {
        let bytes = text[range]
        return joiningLines ? bytes.filter { $0 != 0x0A && $0 != 0x0D } : Array(bytes)
    }

    // MARK: Parts

    /// A byte that belongs to no receipt and is no white space: what is on both sides of a part is never joined.
    ///
    /// It can be in a string of JSON, so that the other members of an object can still be read.
    private static let mark = UInt8(ascii: "*")

    private func mask(_ range: Range<Int>, in text: inout [UInt8]) {
        text.replaceSubrange(range, with: repeatElement(Self.mark, count: range.count))
    }

    /// Adds what was found in some parts of a text, and returns the text without them.
    private func cut(_ parts: [Part], out text: ScannedText, _ found: inout Findings) -> ScannedText {
        var parts = parts.sorted { ($0.ranges.first?.lowerBound ?? 0) < ($1.ranges.first?.lowerBound ?? 0) }
        // A receipt within a string of JSON is found in the string as well.
        var covered = 0
        parts.removeAll { part in
            guard part.isWithin(covered) else {
                covered = max(covered, part.ranges.map(\.upperBound).max() ?? 0)
                return false
            }
            return true
        }
        for part in parts { found += part.findings }
        guard !parts.isEmpty, budget.spend(text.count) else { return text }
        var rest: [UInt8] = []
        var index = 0
        for range in parts.flatMap(\.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound >= index { rest += text.bytes[index..<range.lowerBound] }
            rest.append(Self.mark)
            index = max(index, range.upperBound)
        }
        return text.with(rest + text.bytes[index...])
    }
}
