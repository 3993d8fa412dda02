/// The code points with the property Default_Ignorable_Code_Point.
///
/// From DerivedCoreProperties.txt of Unicode 16.0; they are the same since Unicode 12.0. A display may leave them out.
enum DefaultIgnorableCodePoints {
    static let ranges: [ClosedRange<UInt32>] = [
        0xad...0xad,  // soft hyphen
        0x034f...0x034f,  // combining grapheme joiner
        0x061c...0x061c,  // Arabic letter mark
        0x115f...0x1160,  // Hangul fillers
        0x17b4...0x17b5,  // Khmer inherent vowels
        0x180b...0x180f,  // Mongolian variation selectors, vowel separator
        0x200b...0x200f,  // zero-width characters, direction marks
        0x202a...0x202e,  // directional embeddings and overrides
        0x2060...0x206f,  // word joiner, invisible operators, isolates
        0x3164...0x3164,  // Hangul filler
        0xfe00...0xfe0f,  // variation selectors
        0xfeff...0xfeff,  // zero-width no-break space
        0xffa0...0xffa0,  // halfwidth Hangul filler
        0xfff0...0xfff8,  // reserved
        0x1_bca0...0x1_bca3,  // shorthand format controls
        0x1_d173...0x1_d17a,  // musical format controls
        0xe_0000...0xe_0fff,  // tags, variation selectors, reserved
    ]
}
