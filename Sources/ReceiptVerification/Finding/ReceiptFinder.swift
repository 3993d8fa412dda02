internal import ReceiptTypes

/// Finds receipts in any text: mail, logs, source code, form bodies, and encodings of these.
///
/// A search goes through the text in rounds:
///
/// 1. Find the JSON values (``JSONScan``), the compact JWS (``JWSScan``) and the base64 (``Base64Scan``) in the text. The
///    strings of JSON and the content of base64 are searched in the same way, one level deeper.
/// 2. Cut out what was found, and take one wrapping off the rest (``Unwrapping``).
/// 3. Repeat until no step of ``Unwrapping`` changes the text. Parts of a JWS in the last rest are reported as they are,
///    so that the verifier can name what is missing.
///
/// **A search never repairs a receipt.** It decides which bytes are a receipt, and the verifier checks these bytes as
/// strictly as if they had come alone. Only an encoding of the complete text is decoded, such as quoted-printable, and only
/// white space is left out between the characters of a JWS. Nothing removes the padding of a segment, replaces a character
/// of another alphabet, or cuts a segment that is too long: such a JWS is found with its flaw. So a text in which an
/// invalid receipt becomes a valid one contains the valid one, with wrapping around or between its characters.
///
/// **The cost is linear.** Each pass visits a byte a fixed number of times. Depth, layers and the visited bytes
/// (``steps``) have limits; a text that exceeds one is searched no further.
package struct ReceiptFinder {
    /// The deepest nesting of JSON strings and base64 that is searched; base64 of base64 of a JWS in JSON needs 3.
    static let maximumDepth = 6
    /// The most layers of wrapping that are taken off one text.
    static let maximumLayers = 8
    /// The visited bytes that are allowed for each byte of the text, and for any text.
    static let stepsPerByte = 128
    static let minimumSteps = 65_536

    /// The complete receipts: a JWS of three segments with a signature of 64 bytes, a purchase with its signature, or an
    /// app receipt.
    private(set) var receipts: [ReceiptInput] = []
    /// The parts of a JWS, which are reported only where no complete receipt was found in them.
    private(set) var fragments: [ReceiptInput] = []
    /// The number of bytes that were visited, each as often as it was visited.
    private(set) var steps = 0
    private let maximumSteps: Int
    /// The parts of a JWS in base64; the base64 can be a part of a JWS itself, which has one inside.
    private var encodedFragments: [ReceiptInput] = []
    private var known: Set<[UInt8]> = []

    /// Searches a text.
    init(_ text: [UInt8]) {
        let (steps, isOverflow) = text.count.multipliedReportingOverflow(by: Self.stepsPerByte)
        maximumSteps = isOverflow ? .max : max(steps, Self.minimumSteps)
        search(text, depth: 0, isEncoded: false)
        if receipts.isEmpty, fragments.isEmpty { fragments = encodedFragments }
    }

    // MARK: Rounds

    /// - Parameter isEncoded: Whether the text was base64, so that it can be a line of a JWS and not a text of its own.
    private mutating func search(_ text: [UInt8], depth: Int, isEncoded: Bool) {
        guard depth <= Self.maximumDepth else { return }
        var rest = text
        var areLinesJoined = false
        for layer in 0...Self.maximumLayers {
            rest = cutting(scan(rest, depth: depth, isEncoded: isEncoded), out: rest)
            let unwrapped = layer < Self.maximumLayers && visit(rest.count) ? Unwrapping.unwrap(rest) : nil
            if !areLinesJoined, unwrapped == nil || unwrapped?.wrapping == .backslashes {
                areLinesJoined = true
                if searchJoinedLines(rest, depth: depth, isEncoded: isEncoded) { break }
            }
            guard let unwrapped else { break }
            rest = unwrapped.text
        }
        guard visit(rest.count) else { return }
        for candidate in JWSScan.candidates(in: rest) where !candidate.isComplete && candidate.isFragment {
            // A fragment stays in the text and is found in several ways.
            guard known.insert(candidate.jws).inserted else { continue }
            if isEncoded { encodedFragments.append(.jws(candidate.jws)) } else { fragments.append(.jws(candidate.jws)) }
        }
    }

    /// Counts bytes before they are visited; returns false if they are too many.
    private mutating func visit(_ count: Int) -> Bool {
        guard count <= maximumSteps - steps else { return false }
        steps += count
        return true
    }

    /// A part of the text in which receipts were found.
    private struct Part {
        let range: Range<Int>
        let receipts: [ReceiptInput]
    }

    /// Finds the receipts of one round, in the order of the text.
    private mutating func scan(_ text: [UInt8], depth: Int, isEncoded: Bool) -> [Part] {
        var parts: [Part] = []
        var rest = text
        for value in json(in: text) {
            let found = collect { $0.search(value.value, depth: depth, isEncoded: isEncoded) }
            parts += part(value.range, found, in: &rest)
        }
        if visit(rest.count * 2) {
            for candidate in JWSScan.candidates(in: rest) where candidate.isComplete || candidate.isFragment {
                let found = candidate.isComplete ? [ReceiptInput.jws(candidate.jws)] : []
                parts += part(candidate.range, found, in: &rest)
                // The content of a damaged JWS is not searched: a receipt inside it must not stand for the JWS.
                if found.isEmpty { mask(candidate.range, in: &rest) }
            }
            for run in Base64Scan.runs(in: rest) {
                let found = collect { $0.search(run, depth: depth) }
                parts += part(run.range, found, in: &rest)
            }
        }
        parts.sort { $0.range.lowerBound < $1.range.lowerBound }
        receipts += parts.flatMap(\.receipts)
        return parts
    }

    /// Returns the receipts that `body` finds, without adding them.
    private mutating func collect(_ body: (inout Self) -> Void) -> [ReceiptInput] {
        let count = receipts.count
        body(&self)
        defer { receipts.removeLast(receipts.count - count) }
        return Array(receipts[count...])
    }

    private func part(_ range: Range<Int>, _ receipts: [ReceiptInput], in text: inout [UInt8]) -> [Part] {
        guard !receipts.isEmpty else { return [] }
        mask(range, in: &text)
        return [Part(range: range, receipts: receipts)]
    }

    // MARK: Content

    /// Finds the JSON values of a text, as far as the limit allows.
    private mutating func json(in text: [UInt8]) -> [JSONScan.Found] {
        var scan = JSONScan(maximumSteps: maximumSteps - steps)
        defer { steps += scan.steps }
        return scan.values(in: text)
    }

    private mutating func search(_ value: JSONValue, depth: Int, isEncoded: Bool) {
        switch value {
        case .string(let text): search(string: text, depth: depth, isEncoded: isEncoded)
        case .array(let elements): for element in elements { search(element, depth: depth, isEncoded: isEncoded) }
        case .object(let object):
            receipts += PlayInputShape.purchases(in: object)
            for member in object.members { search(member.value, depth: depth, isEncoded: isEncoded) }
        default: break
        }
    }

    private mutating func search(string: String, depth: Int, isEncoded: Bool) {
        let bytes = [UInt8](string.utf8)
        guard bytes.count >= JWSScan.minimumLength else { return }
        if case .jws(let jws)? = InputDetector.receipt(inString: string), JWSForm.isSound(jws) {
            return receipts.append(.jws(jws))
        }
        search(bytes, depth: depth + 1, isEncoded: isEncoded)
    }

    private mutating func search(_ run: Base64Scan.Run, depth: Int) {
        for digits in run.readings {
            guard visit(digits.count) else { return }
            if LegacyReceiptForm.isPKCS7(digits) { return receipts.append(.legacyReceipt(digits)) }
            guard let content = Base64Scan.content(of: digits) else { continue }
            let count = receipts.count
            search(content, depth: depth + 1, isEncoded: true)
            if receipts.count > count { return }
        }
    }

    /// Searches JSON that a mail program or a terminal has broken into lines within its strings; returns whether it has
    /// receipts.
    private mutating func searchJoinedLines(_ text: [UInt8], depth: Int, isEncoded: Bool) -> Bool {
        guard text.firstIndex(of: "{", from: 0) != nil, text.firstIndex(of: "\n", from: 0) != nil, visit(text.count)
        else { return false }
        let count = receipts.count
        for found in json(in: text.filter { $0 != 0x0A && $0 != 0x0D }) {
            search(found.value, depth: depth, isEncoded: isEncoded)
        }
        return receipts.count > count
    }

    // MARK: Parts

    /// A byte that belongs to no receipt and is no white space: what is on both sides of a part is never joined.
    private static let mark: UInt8 = 0x1E

    private func mask(_ range: Range<Int>, in text: inout [UInt8]) {
        text.replaceSubrange(range, with: repeatElement(Self.mark, count: range.count))
    }

    private func cutting(_ parts: [Part], out text: [UInt8]) -> [UInt8] {
        guard !parts.isEmpty else { return text }
        var rest: [UInt8] = []
        var index = 0
        for part in parts where part.range.lowerBound >= index {
            rest += text[index..<part.range.lowerBound]
            rest.append(Self.mark)
            index = part.range.upperBound
        }
        return rest + text[index...]
    }
}
