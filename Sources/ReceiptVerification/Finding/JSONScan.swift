internal import ReceiptTypes

/// Finds objects in the JSON of a text.
///
/// Around JSON there can be quotation marks of other things, and JSON can be cut. So the text is read in two ways at
/// once: as if it began outside of a string, and as if it began inside one. Each part between two quotation marks is a
/// string in one reading and structure in the other. Whether an object is JSON is for the parser to decide.
struct JSONScan {
    /// An object with the signature and the data of a purchase among its own members.
    struct Purchase {
        let range: Range<Int>
        /// Whether the text ends before the object, which is no JSON then.
        var isCut = false
        /// The signature and the data, without their quotation marks.
        let values: [Range<Int>]
    }

    /// The purchases, in the order of their ends.
    private(set) var purchases: [Purchase] = []
    /// The strings that can contain a purchase, without their quotation marks.
    private(set) var strings: [Range<Int>] = []
    /// The first objects that are not inside another one, in the order of their ends.
    private(set) var outermost: [Range<Int>] = []

    private static let maximumOutermost = 16
    private static let notMarks = ByteSet("\\\"").inverted
    private static let lineBreaks = ByteSet("\r\n")
    private static let notSigns = ByteSet("{}[],:").inverted

    private let text: ScannedText
    private var readings = [Reading(), Reading()]

    init(_ text: ScannedText) {
        self.text = text
        var index = 0
        var start = 0
        var isOdd = false
        var escapes = 0
        while true {
            index = text.end(of: Self.notMarks, from: index)
            if text[index] == UInt8(ascii: "\\") {
                index = text.end(of: Self.lineBreaks, from: index + 1)
                if text[index] == UInt8(ascii: "\"") { escapes += 1 }
                index += 1
                continue
            }
            let end = min(index, text.count)
            // A purchase has two members, with eight quotation marks.
            if escapes >= 8, Self.namesSignature(text.part(start..<end)) { strings.append(start..<end) }
            read(start..<end, isOdd: isOdd)
            guard end < text.count else { break }
            index = end + 1
            (start, escapes) = (index, 0)
            isOdd.toggle()
        }
        addCutPurchases()
    }

    /// Adds the outermost purchase whose object does not end, because the text was cut.
    private mutating func addCutPurchases() {
        for reading in readings {
            guard let open = reading.openPurchase else { continue }
            purchases.append(Purchase(range: open.start..<text.count, isCut: true, values: open.values))
        }
    }

    /// Returns the content of a string of JSON without its quotation marks; nil if it is none.
    static func unescaped(_ string: [UInt8]) -> [UInt8]? {
        let quote = [UInt8(ascii: "\"")]
        return (try? JSONDocument.value(of: quote + string + quote))?.text.map { [UInt8]($0.utf8) }
    }

    /// Reads the text between two quotation marks in both ways.
    private mutating func read(_ range: Range<Int>, isOdd: Bool) {
        let (outside, inside) = isOdd ? (1, 0) : (0, 1)
        readings[inside].read(string: range, part: part(named: range))
        var index = text.end(of: Self.notSigns, from: range.lowerBound, to: range.upperBound)
        while index < range.upperBound, let sign = text[index] {
            if let object = readings[outside].read(sign, at: index) {
                if let purchase = object.purchase { purchases.append(purchase) }
                if object.isOutermost, outermost.count < Self.maximumOutermost { outermost.append(object.range) }
            }
            index = text.end(of: Self.notSigns, from: index + 1, to: range.upperBound)
        }
    }

    /// Returns the part of a purchase that a string names, even if the string was broken into lines.
    private func part(named range: Range<Int>) -> PlayInputShape.Part? {
        guard range.count <= 64 else { return nil }
        return PlayInputShape.part(named: text.part(range).filter { $0 != 0x0A && $0 != 0x0D })
    }

    /// Returns whether a text can have the name of a signature in it.
    private static func namesSignature(_ text: ArraySlice<UInt8>) -> Bool {
        // The end of a name is enough, and the beginning can be broken into lines.
        ["ature", "ATURE"].contains { text.firstRange(of: [UInt8]($0.utf8)) != nil }
    }
}

extension JSONScan {
    /// The state of one of the two readings.
    private struct Reading {
        /// An object whose end was not found yet.
        private struct Open {
            let start: Int
            var parts: Set<PlayInputShape.Part> = []
            var values: [Range<Int>] = []
        }

        /// The most objects that are open at once: far more than any JSON, since the rest are braces of something else.
        private static let maximumDepth = 1024

        private var open: [Open] = []

        /// The first purchase whose end was not found.
        var openPurchase: (start: Int, values: [Range<Int>])? {
            open.first { $0.parts.count == 2 }.map { ($0.start, $0.values) }
        }

        private var lastString: PlayInputShape.Part?
        /// The member whose value comes next.
        private var member: PlayInputShape.Part?

        mutating func read(string: Range<Int>, part: PlayInputShape.Part?) {
            lastString = part
            guard let member, let last = open.indices.last else { return }
            open[last].parts.insert(member)
            open[last].values.append(string)
            self.member = nil
        }

        /// Reads a sign, and returns the object that it closes.
        mutating func read(_ sign: UInt8, at index: Int) -> (range: Range<Int>, purchase: Purchase?, isOutermost: Bool)?
        {
            member = sign == UInt8(ascii: ":") ? lastString : nil
            lastString = nil
            if sign == UInt8(ascii: "{") {
                if open.count == Self.maximumDepth { open.removeFirst(Self.maximumDepth / 2) }
                open.append(Open(start: index))
            }
            guard sign == UInt8(ascii: "}"), let object = open.popLast() else { return nil }
            let range = object.start..<index + 1
            let purchase = object.parts.count == 2 ? Purchase(range: range, values: object.values) : nil
            return (range, purchase, open.isEmpty)
        }
    }
}
