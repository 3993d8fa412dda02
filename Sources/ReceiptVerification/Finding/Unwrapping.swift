/// The wrappings that programs put around a receipt, and how each is taken off.
///
/// A step is a function from a text to the text without the wrapping; nil if the text does not have it. One step is made
/// at a time, since JSON can be read only before its backslashes are removed; the first case that changes the text comes
/// first: mail is encoded after it was quoted. To add a wrapping, add a case and its function.
///
/// A step decodes or removes; it never replaces a character that a receipt can have by another one.
enum Unwrapping: CaseIterable {
    case utf16
    case invisibleCharacters
    case quotedPrintable
    case markup
    case percentEncoding
    case linePrefixes
    case backslashes

    /// Takes one wrapping off a text, and returns which; nil if it has none.
    static func unwrap(_ text: [UInt8]) -> (wrapping: Unwrapping, text: [UInt8])? {
        for wrapping in allCases {
            if let unwrapped = wrapping.remove(from: text), unwrapped != text { return (wrapping, unwrapped) }
        }
        return nil
    }

    private func remove(from text: [UInt8]) -> [UInt8]? {
        switch self {
        case .utf16: CharacterWrappings.withoutUTF16(text)
        case .invisibleCharacters: CharacterWrappings.withoutInvisibleCharacters(text)
        case .quotedPrintable: EscapeWrappings.withoutQuotedPrintable(text)
        case .markup: EscapeWrappings.withoutMarkup(text)
        case .percentEncoding: EscapeWrappings.withoutPercentEncoding(text)
        case .backslashes: EscapeWrappings.withoutBackslashes(text)
        case .linePrefixes: CharacterWrappings.withoutLinePrefixes(text)
        }
    }
}
