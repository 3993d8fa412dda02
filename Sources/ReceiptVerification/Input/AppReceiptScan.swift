internal import ReceiptTypes

/// An app receipt in a text, or a part of one.
struct AppReceiptCandidate {
    /// The place in the text, with the white space in between and the padding.
    let range: Range<Int>
    /// The digits of base64 without white space, or the bytes of DER or BER.
    let receipt: [UInt8]
    /// Whether it ends where its length says, as a container that can be read.
    let isComplete: Bool
    /// Whether the text has each of its bytes, so that no wrapping is left around them.
    var isUnwrapped = false

    /// Whether removing more wrappings could only destroy it.
    var isFinal: Bool { isComplete || isUnwrapped }
}

/// Finds app receipts in a text: in base64, printed as numbers, and as bytes.
///
/// A receipt begins with a SEQUENCE that contains the OID of a SignedData, which no other text has by chance. Its
/// digits are collected over white space up to the length of the SEQUENCE, so that what follows is no part of it. A
/// collection stops at the beginning of another receipt, so that no receipt hides one behind it.
struct AppReceiptScan {
    /// The most digits and bytes that the beginning of a receipt takes up.
    static let headLength = 32
    /// The most white space between two digits.
    static let maximumGap = 256
    /// The most white space between two digits of the beginning.
    private static let maximumHeadGap = 16
    /// A word that is shorter than this continues a receipt only if that completes it, or if all its words are short.
    private static let minimumLine = 16

    /// The places at which the beginning of a receipt in base64 is compared.
    private static let markCount = 5

    private static let notBeginnings = ByteSet("M3m0418").inverted
    private static let notBinary = ByteSet("0").inverted

    private let text: ScannedText
    /// The next beginning of a receipt in base64 at or after an index, which is kept since it can be far away.
    private var nextBase64 = (from: 0, index: -1)

    private enum Head {
        case base64
        /// Base64 of which the cases of the letters were lost.
        case caselessBase64
        case printed(PrintedBytes)
        case binary
    }

    private init(_ text: ScannedText) {
        self.text = text
    }

    /// Returns the app receipts in a text and the parts of some, in order.
    static func candidates(in text: ScannedText) -> [AppReceiptCandidate] {
        var scan = AppReceiptScan(text)
        var candidates: [AppReceiptCandidate] = []
        var index = 0
        while case let start = text.end(of: notBeginnings, from: index), start < text.count {
            index = start + 1
            guard let head = scan.head(at: start) else { continue }
            let candidate = scan.collect(head, from: start)
            // A word of several bytes begins before the one by which it is recognized.
            guard candidate.range.lowerBound >= candidates.last?.range.upperBound ?? 0 else { continue }
            candidates.append(candidate)
            index = max(candidate.range.upperBound, index)
        }
        return text.budget.isExceeded ? [] : candidates
    }

    /// Returns whether an app receipt begins at an index.
    static func begins(at index: Int, in text: ScannedText) -> Bool { AppReceiptScan(text).head(at: index) != nil }

    /// Returns whether bytes are one container of an app receipt, in DER or in BER as Xcode writes it.
    static func isContainer(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: [0x30, 0x80]) {
            guard bytes.count <= Budget.berReceiptSize else { return false }
            return ((try? bytes.withRawSpan { span in try SignedData.der(fromBER: span) }) ?? nil) != nil
        }
        return (try? bytes.withRawSpan { span in try SignedData(reading: span) }) != nil
    }

    // MARK: The beginning

    private func head(at start: Int) -> Head? {
        switch text[start] {
        case UInt8(ascii: "M"), UInt8(ascii: "m"): base64Head(at: start)
        case 0x30 where isBinaryHead(at: start): .binary
        case UInt8(ascii: "0"), UInt8(ascii: "1"), UInt8(ascii: "3"), UInt8(ascii: "4"), UInt8(ascii: "8"):
            PrintedBytes(at: start, in: text).map { .printed($0) }
        default: nil
        }
    }

    private func base64Head(at start: Int) -> Head? {
        let next = text.end(of: ByteSet.spaces, from: start + 1, to: start + Self.maximumHeadGap)
        guard let second = text[next], second | 0x20 == UInt8(ascii: "i") else { return nil }
        // Most texts that begin so differ in a few places, so their digits are not collected.
        let headEnd = start + Self.headLength
        if text.end(of: ByteSet.base64Digits, from: start, to: headEnd) == headEnd, text.budget.spend(Self.markCount) {
            guard AppReceiptForm.canBePKCS7(text.bytes[start..<headEnd]) else { return nil }
        }
        if AppReceiptForm.canBeginPKCS7(digits(of: AppReceiptForm.fewestDigits, from: start)) {
            let digits = digits(of: Self.headLength, from: start)
            guard digits.count == Self.headLength, text.budget.spend(Self.headLength) else { return nil }
            if AppReceiptForm.canBePKCS7(digits), text.budget.spend(Self.headLength * 4) {
                if AppReceiptForm.isPKCS7(digits) { return .base64 }
                if AppReceiptForm.isCaselessPKCS7(digits) { return .caselessBase64 }
            }
        }
        let part = text.part(start..<min(headEnd, text.count))
        guard part.contains(0x20), AppReceiptForm.canBePKCS7(part), text.budget.spend(Self.headLength * 4)
        else { return nil }
        return AppReceiptForm.isPKCS7(part.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }) ? .base64 : nil
    }

    private func digits(of count: Int, from start: Int) -> [UInt8] {
        Base64Reading.collect(
            in: text, from: start, to: min(start + 4 * Self.headLength, text.count), count: count,
            maximumGap: Self.maximumHeadGap, hasBlanks: false
        ).digits
    }

    private func isBinaryHead(at start: Int) -> Bool {
        guard let length = text[start + 1], (0x80...0x84).contains(length) else { return false }
        return AppReceiptForm.isPKCS7([UInt8](text.part(start..<start + Self.headLength)))
    }

    /// Returns the index at or after another one at which a receipt in base64 begins; the end of the text if none does.
    private mutating func base64Head(from index: Int) -> Int {
        guard index < nextBase64.from || index > nextBase64.index else { return nextBase64.index }
        var place = text.index(of: "M", from: index)
        while let found = place {
            if case .base64 = base64Head(at: found) { break }
            place = text.index(of: "M", from: found + 1)
        }
        nextBase64 = (index, place ?? text.count)
        return nextBase64.index
    }

    // MARK: The rest

    private mutating func collect(_ head: Head, from start: Int) -> AppReceiptCandidate {
        switch head {
        case .base64: base64(from: start)
        case .caselessBase64: damagedBase64(from: start)
        case .printed(let style): style.candidate(in: text)
        case .binary: binary(from: start)
        }
    }

    private func binary(from start: Int) -> AppReceiptCandidate {
        let declared = AppReceiptForm.byteCount([UInt8](text.part(start..<start + Self.headLength)))
        let limit = min(start + (declared ?? Budget.berReceiptSize), text.count)
        var end = limit
        var index = start + 1
        while case let place = text.end(of: Self.notBinary, from: index, to: limit), place < limit {
            index = place + 1
            guard isBinaryHead(at: place) else { continue }
            end = place
            break
        }
        var bytes = [UInt8](text.part(start..<end))
        if declared == nil, let count = AppReceiptForm.berCount(bytes) { bytes = Array(bytes.prefix(count)) }
        return AppReceiptCandidate(
            range: start..<start + bytes.count, receipt: bytes, isComplete: Self.isContainer(bytes), isUnwrapped: true)
    }

    private mutating func base64(from start: Int) -> AppReceiptCandidate {
        guard let count = digitCount(from: start) else { return damagedBase64(from: start) }
        for hasBlanks in [false, true] {
            let reading = read(from: start, count: count, hasBlanks: hasBlanks)
            guard reading.digits.count == count, !hasBlanks || reading.digits.contains(0x20) else { continue }
            let end = endOfPadding(reading.end)
            let isContinued = end == reading.end && continuesWord(end)
            let digits = hasBlanks ? reading.digits.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 } : reading.digits
            guard !isContinued, text.budget.spend(count * 3), let bytes = InputDetector.looseBase64(digits),
                Self.isContainer(bytes)
            else { continue }
            return AppReceiptCandidate(range: start..<end, receipt: reading.digits, isComplete: true)
        }
        return damagedBase64(from: start)
    }

    /// Returns the number of digits of the receipt, without padding; nil if it does not end.
    private mutating func digitCount(from start: Int) -> Int? {
        let head = read(from: start, count: Self.headLength, hasBlanks: false).digits
        guard let bytes = InputDetector.looseBase64(head) else { return nil }
        if let count = AppReceiptForm.byteCount(bytes) { return (count * 4 + 2) / 3 }
        for hasBlanks in [false, true] {
            let limit = Budget.berReceiptSize / 3 * 4
            let digits = read(from: start, count: limit, hasBlanks: hasBlanks).digits.map {
                $0 == 0x20 ? UInt8(ascii: "+") : $0
            }
            guard text.budget.spend(digits.count * 2),
                let bytes = InputDetector.looseBase64(digits)
                    ?? InputDetector.looseBase64(Array(digits.prefix(digits.count / 4 * 4)))
            else { continue }
            if let count = AppReceiptForm.berCount(bytes) { return (count * 4 + 2) / 3 }
        }
        return nil
    }

    private mutating func read(from start: Int, count: Int, hasBlanks: Bool) -> Base64Reading {
        Base64Reading.collect(
            in: text, from: start, to: base64Head(from: start + 1), count: count, maximumGap: Self.maximumGap,
            hasBlanks: hasBlanks)
    }

    /// Returns the digits of a receipt that is incomplete or damaged: its words, without the shorter ones after them.
    private mutating func damagedBase64(from start: Int) -> AppReceiptCandidate {
        let count = digitCount(from: start) ?? .max
        let limit = base64Head(from: start + 1)
        var digits: [UInt8] = []
        var end = start
        var first = 0
        var next = start
        while digits.count < count {
            let word = Base64Reading.collect(
                in: text, from: next, to: limit, count: .max, maximumGap: 0, hasBlanks: false)
            if first == 0 { first = word.digits.count }
            guard word.digits.count >= Self.minimumLine || word.digits.count == first else { break }
            digits += word.digits
            end = word.end
            next = text.end(of: ByteSet.spaces, from: end, to: end + Self.maximumGap)
            guard next > end, next < limit, text[next].map(ByteSet.base64Digits.contains) == true else { break }
        }
        if let foreign = foreignPart(at: end) {
            (digits, end) = (digits + text.part(foreign), foreign.upperBound)
        }
        return AppReceiptCandidate(range: start..<max(endOfPadding(end), start + 1), receipt: digits, isComplete: false)
    }

    /// Returns the rest of a word that goes on after a character that is none of base64, and separates no words.
    private func foreignPart(at start: Int) -> Range<Int>? {
        guard text[start].map(Self.foreign.contains) == true,
            text.end(of: ByteSet.base64Digits, from: start + 1, to: start + 1 + Self.minimumLine)
                == start + 1 + Self.minimumLine
        else { return nil }
        return start..<text.end(of: Self.foreignOrDigits, from: start)
    }

    private static let foreign = ByteSet { $0 > 0x20 && !#""'<>()[]{}|\,;:&%=*"#.utf8.contains($0) }
    private static let foreignOrDigits = ByteSet { foreign.contains($0) || ByteSet.base64Digits.contains($0) }

    private func endOfPadding(_ start: Int) -> Int {
        let sign = UInt8(ascii: "=")
        var index = start
        while index - start < 2, text[index] == sign { index += 1 }
        guard index == start else { return index }
        // Padding can stand alone in the last line.
        let next = text.end(of: ByteSet.spaces, from: start, to: start + Self.maximumHeadGap)
        guard next > start, text[next] == sign else { return start }
        index = next
        while index - next < 2, text[index] == sign { index += 1 }
        return index
    }

    /// Returns whether a word goes on at an index, with something else than another receipt.
    private mutating func continuesWord(_ index: Int) -> Bool {
        text[index].map(ByteSet.base64Digits.contains) == true && base64Head(from: index) > index
    }
}

/// Digits of base64 that were collected over white space.
private struct Base64Reading {
    var digits: [UInt8] = []
    /// The index after the last digit.
    var end: Int

    /// Collects digits from an index on, until there are enough of them or something else follows.
    ///
    /// - Parameters:
    ///   - limit: The index at which another receipt begins.
    ///   - hasBlanks: Whether a blank counts as a digit, and is kept: it can stand where a `+` belongs.
    static func collect(
        in text: ScannedText, from start: Int, to limit: Int, count: Int, maximumGap: Int, hasBlanks: Bool
    ) -> Base64Reading {
        let (set, spaces) = hasBlanks ? (digitsAndBlanks, lineBreaks) : (ByteSet.base64Digits, ByteSet.spaces)
        var reading = Base64Reading(end: start)
        var index = start
        while reading.digits.count < count {
            let (end, isOverflow) = index.addingReportingOverflow(count - reading.digits.count)
            let wordEnd = text.end(of: set, from: index, to: isOverflow ? limit : min(end, limit))
            reading.digits += text.part(index..<wordEnd)
            reading.end = wordEnd
            guard maximumGap > 0, reading.digits.count < count else { break }
            index = text.end(of: spaces, from: wordEnd, to: min(wordEnd + maximumGap, limit))
            guard index > wordEnd, index < limit, text[index].map(set.contains) == true else { break }
        }
        return reading
    }

    private static let digitsAndBlanks = ByteSet { ByteSet.base64Digits.contains($0) || $0 == 0x20 }
    private static let lineBreaks = ByteSet("\r\n\t")
}
