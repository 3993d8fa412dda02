/// Recognizes by its first bytes a source that is not UTF-8: UTF-16, in which spreadsheets save "Unicode text", and
/// compressed data.
enum ForeignEncoding {
    /// Returns the name of the encoding; nil if the bytes do not begin like one of those.
    static func name(of bytes: RawSpan) -> String? {
        if let compressed = ForeignInput.compressedFile(beginningWith: bytes) { return compressed.name }
        guard bytes.byteCount >= 2 else { return nil }
        switch (bytes.byte(at: 0), bytes.byte(at: 1)) {
        case (0xFF, 0xFE), (0xFE, 0xFF): return "UTF-16"
        // Without a mark, the first character has a zero byte: no text in UTF-8 has one.
        case (0, 1...): return "UTF-16BE"
        case (1..., 0): return "UTF-16LE"
        default: return nil
        }
    }
}
