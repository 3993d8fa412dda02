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
    /// The objects with the members that Google Play signs, not as a value of other JSON, in the order of their ends.
    private(set) var signable: [Range<Int>] = []
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
            if escapes >= 8, Self.namesPart(text.part(start..<end)) { strings.append(start..<end) }
            read(start..<end, isOdd: isOdd, hasEscapes: escapes >= 8)
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
    private mutating func read(_ range: Range<Int>, isOdd: Bool, hasEscapes: Bool) {
        let (outside, inside) = isOdd ? (1, 0) : (0, 1)
        let isShort = range.count <= 64
        let name = isShort ? text.part(range).filter { !$0.isLineBreak } : []
        readings[inside].read(
            string: range, part: PlayInputShape.part(named: name), fact: PlayValue.fact(named: name),
            value: isShort ? nil : value(range, hasEscapes: hasEscapes))
        var index = text.end(of: Self.notSigns, from: range.lowerBound, to: range.upperBound)
        while index < range.upperBound, let sign = text[index] {
            if let object = readings[outside].read(sign, at: index) {
                if let purchase = object.purchase { purchases.append(purchase) }
                if object.isSignable, !isMember(object.range.lowerBound) { signable.append(object.range) }
                if object.isOutermost, outermost.count < Self.maximumOutermost { outermost.append(object.range) }
            }
            index = text.end(of: Self.notSigns, from: index + 1, to: range.upperBound)
        }
    }

    /// Returns the part of a purchase that a string is, under any name, in one line or several.
    private func value(_ range: Range<Int>, hasEscapes: Bool) -> PlayInputShape.Part? {
        if hasEscapes { return PlayValue.isData(text.part(range)) ? .data : nil }
        guard range.count <= PlayValue.maximumSignatureText else { return nil }
        let part = text.part(range)
        guard part.contains(UInt8(ascii: "\\")), part.count >= 171, text.budget.spend(range.count * 4) else {
            return PlayValue.isSignature(part) ? .signature : nil
        }
        // Slashes and line breaks may be escaped.
        return Self.unescaped(part.filter { !$0.isLineBreak }).map(PlayValue.isSignature) == true ? .signature : nil
    }

    /// Returns whether an object is the value of a member, or an element of an array, and no text of its own.
    private func isMember(_ start: Int) -> Bool {
        guard let sign = byte(before: start) else { return false }
        guard text.bytes[sign] == UInt8(ascii: ":") else {
            // A program prints a list of texts after `=`.
            return text.bytes[sign] == UInt8(ascii: "[")
                && byte(before: sign).map { text.bytes[$0] != UInt8(ascii: "=") } ?? true
        }
        return byte(before: sign).map { text.bytes[$0] == UInt8(ascii: "\"") } ?? false
    }

    /// Returns the index of the last byte before an index that is no white space; nil if there is none nearby.
    private func byte(before index: Int) -> Int? {
        let nearby = text.part(max(index - 64, 0)..<index)
        return nearby.lastIndex { !$0.isWhiteSpace }
    }

    /// Returns whether a text may contain the name of a signature or of a member of a purchase.
    private static func namesPart(_ text: ArraySlice<UInt8>) -> Bool {
        // The end of a name is enough, and the beginning can be broken into lines.
        ["ature", "ATURE", "aseTime"].contains { text.firstRange(of: [UInt8]($0.utf8)) != nil }
    }
}

extension JSONScan {
    /// The state of one of the two readings.
    private struct Reading {
        /// An object whose end was not found yet.
        private struct Open {
            let start: Int
            var parts: Set<PlayInputShape.Part> = []
            var facts = PlayValue.Facts()
            var values: [Range<Int>] = []
        }

        /// The most objects that are open at once: far more than any JSON, since the rest are braces of something else.
        private static let maximumDepth = 1024

        private var open: [Open] = []

        /// The first purchase whose end was not found.
        var openPurchase: (start: Int, values: [Range<Int>])? {
            open.first { $0.parts.count == 2 }.map { ($0.start, $0.values) }
        }

        /// What the last string means if it is a name.
        private struct Name {
            var part: PlayInputShape.Part?
            var fact: PlayValue.Facts?
        }

        private var lastString: Name?
        /// The member whose value comes next.
        private var member: Name?

        mutating func read(
            string: Range<Int>, part: PlayInputShape.Part?, fact: PlayValue.Facts?, value: PlayInputShape.Part?
        ) {
            lastString = Name(part: part, fact: fact)
            guard let member, let last = open.indices.last else { return }
            self.member = nil
            guard let part = value ?? member.part else { return }
            open[last].parts.insert(part)
            open[last].values.append(string)
        }

        /// Reads a sign, and returns the object that it closes.
        mutating func read(_ sign: UInt8, at index: Int) -> Closed? {
            member = sign == UInt8(ascii: ":") ? lastString : nil
            lastString = nil
            if let fact = member?.fact, let last = open.indices.last { open[last].facts.insert(fact) }
            if sign == UInt8(ascii: "{") {
                if open.count == Self.maximumDepth { open.removeFirst(Self.maximumDepth / 2) }
                open.append(Open(start: index))
            }
            guard sign == UInt8(ascii: "}"), let object = open.popLast() else { return nil }
            let range = object.start..<index + 1
            let purchase = object.parts.count == 2 ? Purchase(range: range, values: object.values) : nil
            return Closed(
                range: range, purchase: purchase, isSignable: object.facts.arePurchase, isOutermost: open.isEmpty)
        }
    }

    /// An object whose end was found.
    private struct Closed {
        let range: Range<Int>
        let purchase: Purchase?
        /// Whether it has the members of what Google Play signs.
        let isSignable: Bool
        let isOutermost: Bool
    }
}
