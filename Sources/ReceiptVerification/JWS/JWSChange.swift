/// A change that programs and people make to a JWS when they pass it on, for a hint that names it.
///
/// The change is only named: a JWS with one is rejected.
struct JWSChange {
    /// What was changed and what to do, in one sentence.
    let hint: String

    /// The characters with which text programs replace a hyphen-minus.
    private static let dashes: Set<Unicode.Scalar> = [
        "\u{AD}", "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}", "\u{2014}", "\u{2015}", "\u{2212}", "\u{FE63}",
        "\u{FF0D}",
    ]

    /// Returns nil unless a JWS, or a segment of one, has a character that is not part of any or letters of one case
    /// only, or consists of several ones.
    init?(_ jws: RawSpan) {
        let text = jws.array
        guard let hint = Self.replacement(in: text) ?? Self.lostCase(in: text) ?? Self.junction(in: text)
        else { return nil }
        self.hint = hint
    }

    private static func lostCase(in text: [UInt8]) -> String? {
        LostCase.isEvident(in: text) ? LostCase.hint : nil
    }

    private static func replacement(in text: [UInt8]) -> String? {
        guard !ByteSet.ascii.containsAll(of: text), let characters = String(validating: text, as: UTF8.self),
            let found = characters.unicodeScalars.first(where: { !$0.isASCII })
        else { return nil }
        let digits = String(found.value, radix: 16, uppercase: true)
        let name = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        let reason =
            dashes.contains(found) ? "with which a program has replaced a hyphen" : "which is not part of any"
        return "the JWS has the character \(name), \(reason): copy the JWS from where it was not formatted as a text"
    }

    private static func junction(in text: [UInt8]) -> String? {
        let segments = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // The last segment of one JWS and the first one of the next are one segment of the text.
        guard segments.count >= 5, segments.count % 2 == 1 else { return nil }
        let beginning = [UInt8]("eyJ".utf8)
        let signatureLength = 86
        for place in stride(from: 2, to: segments.count - 1, by: 2) {
            guard segments[place].dropFirst(signatureLength).starts(with: beginning) else { return nil }
        }
        return "\(segments.count / 2) JWS are joined without anything between them: pass each of them alone"
    }
}
