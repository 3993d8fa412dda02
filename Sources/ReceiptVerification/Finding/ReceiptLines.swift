/// Finds the lines of a text in which receipts begin that were found in it.
///
/// A receipt is recognized by its last characters, and then compared backwards with the text. Other characters than
/// those of base64 are skipped in it, such as line breaks and quotation signs. So each character is read some times for
/// the words of the text, and once for each receipt that it is part of.
struct ReceiptLines {
    /// The number of characters by which a receipt is recognized, in one line or in several.
    private static let keyLength = 12
    /// The most characters that are compared for each one of the text; a text that needs more is hostile.
    private static let comparisonsPerByte = 64
    /// The most receipts with the same last characters that are compared with one place.
    private static let maximumCandidates = 8
    private static let padding = [UInt8]("=.".utf8)

    private let text: [UInt8]
    /// The digits of each receipt that is not found yet.
    private let receipts: [[UInt8]]
    /// The indices of the receipts by their last characters.
    private var waiting: [[UInt8]: [Int]] = [:]
    /// The last characters of all receipts: most words end with another one.
    private let lastDigits: ByteSet
    /// The comparisons that are left.
    private var rest: Int
    private var lines: [Int?]

    /// Returns the number of the line of each receipt, from 1; nil for one that does not stand in the text as it is,
    /// such as in an encoding of the text.
    static func lines(of receipts: [ReceiptInput], in text: [UInt8]) -> [Int?] {
        var search = ReceiptLines(receipts, text)
        search.findAll()
        return search.lines
    }

    private init(_ receipts: [ReceiptInput], _ text: [UInt8]) {
        self.text = text
        self.receipts = receipts.map { receipt in
            let digits = receipt.digits.filter(ByteSet.partsOfJWS.contains)
            return Array(digits.prefix(Self.count(withoutPadding: digits, to: digits.count)))
        }
        let ends = Set(self.receipts.compactMap(\.last))
        lastDigits = ByteSet(ends.contains)
        rest = text.count * Self.comparisonsPerByte
        // A receipt that is the complete text begins in its first line.
        lines = receipts.map { $0.isText(text) ? 1 : nil }
        for (index, digits) in self.receipts.enumerated() where lines[index] == nil && digits.count >= Self.keyLength {
            waiting[Array(digits.suffix(Self.keyLength)), default: []].append(index)
        }
    }

    /// Returns the number of bytes before the padding and the dots at the end of a part.
    private static func count(withoutPadding bytes: [UInt8], to end: Int) -> Int {
        var count = end
        while count > 0, padding.contains(bytes[count - 1]) { count -= 1 }
        return count
    }

    private mutating func findAll() {
        var line = 1
        var start = 0
        for index in 0...text.count where !waiting.isEmpty {
            guard index == text.count || !ByteSet.partsOfJWS.contains(text[index]) else { continue }
            find(start..<index, line)
            start = index + 1
            if index < text.count, text[index] == 0x0A { line += 1 }
        }
    }

    /// Finds the receipt that ends with a word.
    private mutating func find(_ word: Range<Int>, _ line: Int) {
        let end = Self.count(withoutPadding: text, to: word.upperBound)
        guard end > word.lowerBound, lastDigits.contains(text[end - 1]), let key = digits(before: end),
            let candidates = waiting[key]
        else { return }
        for (place, index) in candidates.prefix(Self.maximumCandidates).enumerated() {
            guard let breaks = lineBreaks(in: receipts[index], endingAt: end) else { continue }
            lines[index] = line - breaks
            waiting[key]?.remove(at: place)
            if waiting[key]?.isEmpty == true { waiting[key] = nil }
            return
        }
    }

    /// Returns as many characters before an offset as a receipt is recognized by, without what stands between the
    /// words; nil if there are fewer.
    private func digits(before end: Int) -> [UInt8]? {
        var digits: [UInt8] = []
        var place = end
        while digits.count < Self.keyLength {
            guard place > 0 else { return nil }
            place -= 1
            if ByteSet.partsOfJWS.contains(text[place]) { digits.append(text[place]) }
        }
        return digits.reversed()
    }

    /// Returns the number of line breaks inside a receipt that ends at an offset; nil if another text ends there.
    private mutating func lineBreaks(in receipt: [UInt8], endingAt end: Int) -> Int? {
        var breaks = 0
        var (left, place) = (receipt.count, end)
        while left > 0 {
            guard place > 0, rest > 0 else { return nil }
            place -= 1
            rest -= 1
            if text[place] == receipt[left - 1] {
                left -= 1
            } else if ByteSet.partsOfJWS.contains(text[place]) {
                return nil
            } else if text[place] == 0x0A {
                breaks += 1
            }
        }
        return breaks
    }
}

extension ReceiptInput {
    /// The part of the receipt by which it is found: a purchase by its signature, which texts do not escape.
    fileprivate var digits: [UInt8] {
        switch self {
        case .jws(let jws): jws
        case .appReceipt(let receipt): receipt.first == 0x30 ? [] : receipt
        case .play(_, let signature): signature
        case .unrecognized, .unsearched: []
        }
    }

    fileprivate func isText(_ text: [UInt8]) -> Bool {
        switch self {
        case .jws(let bytes), .appReceipt(let bytes), .unrecognized(let bytes), .unsearched(let bytes): bytes == text
        case .play: false
        }
    }
}
