/// The wrappings that programs put around a receipt, and how each is taken off.
///
/// A step is a function from a text to the text without the wrapping; nil if the text does not have it. One step is
/// made at a time, since JSON can be read only before its backslashes are removed; the first case that changes the text
/// comes first: mail is encoded after it was quoted. To add a wrapping, add a case and its function.
///
/// A step decodes or removes; it never replaces a character that a receipt can have by another one.
enum Unwrapping: CaseIterable {
    case utf16
    case escapeSequences
    case invisibleCharacters
    case quotedPrintable
    case markup
    case percentEncoding
    case lineSigns
    case linePrefixes
    case doubledQuotes
    case joints
    case lineFrames
    case backslashes

    /// Takes one wrapping off a text, and returns which; nil if it has none.
    static func unwrap(_ text: ScannedText) -> (wrapping: Unwrapping, text: ScannedText)? {
        for wrapping in allCases {
            guard let unwrapped = wrapping.remove(from: text), text.budget.spend(unwrapped.count),
                unwrapped != text.bytes
            else { continue }
            return (wrapping, text.with(unwrapped))
        }
        return nil
    }

    /// Whether a purchase that stands in the text as it is can have what the step takes off.
    var canBeInPurchase: Bool {
        switch self {
        case .utf16, .escapeSequences, .invisibleCharacters, .quotedPrintable, .markup: false
        case .percentEncoding, .lineSigns, .linePrefixes, .doubledQuotes, .joints, .lineFrames, .backslashes: true
        }
    }

    private func remove(from text: ScannedText) -> [UInt8]? {
        switch self {
        case .utf16: CharacterWrappings.withoutUTF16(text)
        case .escapeSequences: CharacterWrappings.withoutEscapeSequences(text)
        case .invisibleCharacters: CharacterWrappings.withoutInvisibleCharacters(text)
        case .quotedPrintable: EscapeWrappings.withoutQuotedPrintable(text)
        case .markup: EscapeWrappings.withoutMarkup(text)
        case .percentEncoding: EscapeWrappings.withoutPercentEncoding(text)
        case .lineSigns: LineWrappings.withoutSigns(text)
        case .linePrefixes: LineWrappings.withoutPrefixes(text)
        case .doubledQuotes: EscapeWrappings.withoutDoubledQuotes(text)
        case .joints: LineWrappings.withoutJoints(text)
        case .lineFrames: LineWrappings.withoutFrames(text)
        case .backslashes: EscapeWrappings.withoutBackslashes(text)
        }
    }
}

extension Unwrapping {
    /// The most bytes of a wrapping that are read to find out what it stands for.
    private static let maximumLength = 64
    private static let maximumSteps = 4
    private static let signs = ByteSet { "%&\\\"'`".utf8.contains($0) || $0 >= 0x80 }

    /// Returns the first bytes of a wrapping at an index that stands for further characters of the word before it, such
    /// as `%41`; nothing if there is none.
    static func beginning(ofWordAt index: Int, in text: ScannedText) -> [UInt8] {
        guard text[index].map(signs.contains) == true else { return [] }
        let wrapped = text.part(index..<min(index + maximumLength, text.count))
        // A sign that belongs to no word and no wrapping stands for the word.
        var content = text.with([UInt8(ascii: "*")] + wrapped)
        for _ in 0..<maximumSteps {
            guard let unwrapped = unwrap(content) else { break }
            content = unwrapped.text
        }
        // The dots at the end of a sentence are not part of the word.
        let next = content.bytes.dropFirst().first { $0 != UInt8(ascii: ".") }
        guard next.map(ByteSet.partsOfJWS.contains) == true else { return [] }
        return [UInt8](wrapped.prefix { !$0.isWhiteSpace })
    }
}
