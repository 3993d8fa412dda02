internal import ReceiptTypes

/// Finds the identifiers of purchases in an input that contains no receipt: by their form in a text, and by the names
/// of members in JSON.
struct IdentifierScan {
    /// The most identifiers of one input.
    static let maximumCount = 100
    /// The bytes of a large input that are read.
    private static let maximumSize = 262_144
    /// The length of the longest text in which a number or a UUID counts: in a long one, most are something else.
    static let maximumProse = 4096
    private static let maximumDepth = 3
    private static let maximumValueLength = 1024

    private var found: [FoundIdentifier] = []
    private var values: Set<String> = []

    /// Returns the identifiers in an input, in their order, each once.
    static func identifiers(in text: [UInt8]) -> [FoundIdentifier] {
        let head = Array(text.prefix(maximumSize))
        guard ForeignInput.privateKey(in: head) == nil else { return [] }
        var scan = Self()
        scan.read(CharacterWrappings.withoutUTF16(ScannedText(head)) ?? head, depth: 0)
        return scan.found
    }

    /// Returns the identifiers that the members of JSON name.
    static func identifiers(in value: JSONValue) -> [FoundIdentifier] {
        var scan = Self()
        scan.read(value, named: "", depth: 0)
        return scan.found
    }

    private mutating func add(_ kind: FoundIdentifier.Kind, _ value: some StringProtocol) {
        guard found.count < Self.maximumCount, value.utf8.count <= Self.maximumValueLength,
            values.insert(String(value)).inserted
        else { return }
        found.append(FoundIdentifier(kind, String(value)))
    }

    private mutating func read(_ text: [UInt8], depth: Int) {
        guard depth < Self.maximumDepth, !text.contains(0) else { return }
        if text.contains(UInt8(ascii: "{")) {
            for range in JSONScan(ScannedText(text)).outermost {
                guard let value = try? JSONDocument.value(of: Array(text[range])) else { continue }
                read(value, named: "", depth: depth)
            }
        }
        let trimmed = InputDetector.trimmed(text)
        if trimmed.count >= 16, let content = InputDetector.looseBase64(trimmed), content.first == UInt8(ascii: "{") {
            return read(content, depth: depth + 1)
        }
        readWords(text)
    }

    // MARK: JSON

    private static let kinds: [String: FoundIdentifier.Kind] = [
        "transactionid": .transaction, "originaltransactionid": .transaction, "transactionidentifier": .transaction,
        "originaltransactionidentifier": .transaction, "orderid": .googleOrder, "purchasetoken": .purchaseToken,
        "externalpurchaseid": .externalPurchase, "notificationuuid": .uuid, "appaccounttoken": .uuid,
    ]

    /// The parser bounds the depth of the recursion.
    private mutating func read(_ value: JSONValue, named name: String, depth: Int) {
        switch value {
        case .object(let object):
            let isPurchase = PlayInputShape.isPurchase(object)
            for member in object.members {
                let isToken = isPurchase && member.name == "token"
                read(member.value, named: isToken ? "purchaseToken" : member.name, depth: depth)
            }
        case .array(let elements): for element in elements { read(element, named: name, depth: depth) }
        case .integer(let number): read(String(number), named: name)
        case .string(let text):
            read(text, named: name)
            let bytes = [UInt8](text.utf8)
            guard bytes.count >= 24, depth < Self.maximumDepth else { return }
            if let content = InputDetector.looseBase64(bytes), content.first == UInt8(ascii: "{") {
                read(content, depth: depth + 1)
            } else if bytes.first == UInt8(ascii: "{") {
                read(bytes, depth: depth + 1)
            }
        default: break
        }
    }

    private mutating func read(_ text: String, named name: String) {
        let name = name.lowercased().filter { $0 != "_" && $0 != "-" }
        guard let kind = Self.kinds[name], !text.isEmpty, !text.contains(where: \.isWhitespace) else { return }
        let isNumber = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        switch kind {
        case .transaction where text.uppercased().hasPrefix("GPA."),
            .googleOrder where text.uppercased().hasPrefix("GPA."):
            add(.googleOrder, text)
        case .transaction, .googleOrder: if isNumber { add(.transaction, text) }
        case .uuid: if UUIDText(text).isUUID { add(.uuid, text) }
        default: add(kind, text)
        }
    }

    // MARK: Words

    private mutating func readWords(_ text: [UInt8]) {
        let isProse = text.count <= Self.maximumProse
        let string = String(decoding: OrderID.canonical(text), as: UTF8.self)
        let isAboutOrder = ForeignInput.isAboutOrder(string)
        for word in ForeignInput.words(of: string[...]) {
            guard let kind = Self.kind(of: word, isAboutOrder: isAboutOrder) else { continue }
            guard isProse || kind == .googleOrder || kind == .purchaseToken else { continue }
            add(kind, kind == .appleOrder ? word.uppercased()[...] : word)
        }
    }

    /// Returns what a word identifies; nil if it is no identifier.
    static func kind(of word: Substring, isAboutOrder: Bool) -> FoundIdentifier.Kind? {
        if OrderID.isGoogleOrder(word) { return .googleOrder }
        if isPurchaseToken(word) { return .purchaseToken }
        if OrderID.isAppleOrder(word, isAboutOrder: isAboutOrder) { return .appleOrder }
        if isTransaction(word) { return .transaction }
        return UUIDText(String(word)).isUUID ? .uuid : nil
    }

    /// A long text with a dot and `AO-J1` after it.
    private static func isPurchaseToken(_ word: Substring) -> Bool {
        word.utf8.count >= 60 && word.contains(".AO-J1")
    }

    /// 14 to 18 digits, which are no date with a time.
    private static func isTransaction(_ word: Substring) -> Bool {
        guard (14...18).contains(word.utf8.count), word.allSatisfy(\.isNumber) else { return false }
        let (month, day) = (Int(word.dropFirst(4).prefix(2)) ?? 0, Int(word.dropFirst(6).prefix(2)) ?? 0)
        let isDate =
            [14, 17].contains(word.count) && word.hasPrefix("20") && (1...12).contains(month) && (1...31).contains(day)
        return !isDate
    }
}

/// The IDs of orders in the spellings in which customers and mail programs write them.
enum OrderID {
    /// `GPA.1234-5678-9012-34567`, with `..0` and so on for the renewals of a subscription.
    static func isGoogleOrder(_ word: Substring) -> Bool {
        guard word.hasPrefix("GPA.") else { return false }
        let groups = word.dropFirst(4).split(separator: ".").first?.split(separator: "-") ?? []
        return groups.map(\.count) == [4, 4, 4, 5] && groups.allSatisfy { $0.allSatisfy(\.isNumber) }
    }

    /// `MK5TTJQFXG`: 10 to 12 letters and digits, of which the first is M; in capitals unless the text is about orders.
    static func isAppleOrder(_ word: Substring, isAboutOrder: Bool) -> Bool {
        guard let first = word.first, first == "M" || first == "m", (10...12).contains(word.utf8.count) else {
            return false
        }
        let isUpper = word.allSatisfy { $0.isNumber || $0.isUppercase }
        let isLower = word.allSatisfy { $0.isNumber || $0.isLowercase }
        let hasDigit = word.contains(where: \.isNumber)
        return isUpper && (isAboutOrder || hasDigit) || isLower && isAboutOrder && hasDigit
    }

    // MARK: Spellings

    /// The groups of digits in the ID of a Google order.
    private static let groups = [4, 4, 4, 5]
    /// Hyphens and dashes, all of three bytes in UTF-8.
    private static let dashes: [[UInt8]] =
        ["\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2212}", "\u{FE63}", "\u{FF0D}"].map {
            [UInt8]($0.utf8)
        }

    /// Returns a text with the IDs of Google orders as the store writes them: in capitals, with hyphens, no blanks.
    static func canonical(_ text: [UInt8]) -> [UInt8] {
        let text = withoutInvisibleCharacters(text)
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if text[index] | 0x20 == UInt8(ascii: "g"), let (order, end) = order(at: index, in: text) {
                output += order
                index = end
            } else {
                output.append(text[index])
                index += 1
            }
        }
        return output
    }

    private static func withoutInvisibleCharacters(_ text: [UInt8]) -> [UInt8] {
        guard !ByteSet.ascii.containsAll(of: text) else { return text }
        return CharacterWrappings.withoutInvisibleCharacters(ScannedText(text)) ?? text
    }

    private static func order(at start: Int, in text: [UInt8]) -> (order: [UInt8], end: Int)? {
        guard start + 4 <= text.count, start == 0 || !isWord(text[start - 1]),
            text[start..<start + 3].map({ $0 | 0x20 }) == [UInt8]("gpa".utf8)
        else { return nil }
        var index = start + 3
        guard skipSeparator(&index, in: text, dot: true) else { return nil }
        var order = [UInt8]("GPA.".utf8)
        for (number, count) in groups.enumerated() {
            if number > 0 {
                guard skipSeparator(&index, in: text, dot: false) else { return nil }
                order.append(UInt8(ascii: "-"))
            }
            guard index + count <= text.count, text[index..<index + count].allSatisfy(isDigit) else { return nil }
            order += text[index..<index + count]
            index += count
        }
        guard index == text.count || !isWord(text[index]) else { return nil }
        return (order, index)
    }

    /// Moves behind a separator: a hyphen or a dash, or else a dot, with blanks around it, or up to three blanks.
    private static func skipSeparator(_ index: inout Int, in text: [UInt8], dot: Bool) -> Bool {
        let start = index
        skipBlanks(&index, in: text)
        if dot, index < text.count, text[index] == UInt8(ascii: ".") {
            index += 1
        } else if index < text.count, text[index] == UInt8(ascii: "-") {
            index += 1
        } else if let dash = dashes.first(where: { text[index...].starts(with: $0) }) {
            index += dash.count
        }
        skipBlanks(&index, in: text)
        return index > start
    }

    private static func skipBlanks(_ index: inout Int, in text: [UInt8]) {
        let limit = min(index + 3, text.count)
        while index < limit, text[index].isWhiteSpace { index += 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
