/// Takes off the wrappings that concern single characters.
enum CharacterWrappings {
    /// Decodes UTF-16 with a byte order mark, or without one if the text is mostly ASCII.
    static func withoutUTF16(_ text: ScannedText) -> [UInt8]? {
        guard text.count >= 4, let isBigEndian = isBigEndianUTF16(text.part(0..<256)),
            text.budget.spend(text.count)
        else { return nil }
        var units: [UInt16] = []
        units.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count - 1, by: 2) {
            let (first, second) = (UInt16(text.bytes[index]), UInt16(text.bytes[index + 1]))
            units.append(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        return [UInt8](String(decoding: units, as: UTF16.self).utf8)
    }

    private static func isBigEndianUTF16(_ head: ArraySlice<UInt8>) -> Bool? {
        if head.starts(with: [0xFE, 0xFF]) { return true }
        if head.starts(with: [0xFF, 0xFE]) { return false }
        var zeros = [0, 0]
        for (index, byte) in head.enumerated() where byte == 0 { zeros[index & 1] += 1 }
        let half = head.count / 2
        // All bytes of one half are 0 in ASCII; binary data has zeros in both halves.
        if zeros[0] > half * 3 / 4, zeros[1] == 0 { return true }
        if zeros[1] > half * 3 / 4, zeros[0] == 0 { return false }
        return nil
    }

    // MARK: Terminals

    private static let longestSequence = 32
    private static let parameters = ByteSet { (0x20...0x3F).contains($0) }

    /// Removes the control sequences of terminals, such as those of colours (ECMA-48 5.4).
    static func withoutEscapeSequences(_ text: ScannedText) -> [UInt8]? {
        var output: [UInt8] = []
        var (rest, index) = (0, 0)
        while let escape = text.index(of: "\u{1B}", from: index) {
            index = escape + 1
            guard text[index] == UInt8(ascii: "[") else { continue }
            let end = text.end(of: parameters, from: index + 1, to: index + longestSequence)
            guard let final = text[end], (0x40...0x7E).contains(final) else { continue }
            output += text.part(rest..<escape)
            (rest, index) = (end + 1, end + 1)
        }
        return rest == 0 ? nil : output + text.part(rest..<text.count)
    }

    // MARK: Unicode

    /// Removes the characters without a width from UTF-8, and replaces the kinds of blanks by a blank.
    static func withoutInvisibleCharacters(_ text: ScannedText) -> [UInt8]? {
        var output: [UInt8] = []
        var index = 0
        while case let next = text.end(of: ByteSet.ascii, from: index), next < text.count {
            let (count, replacement) = invisible(text.part(next..<min(next + 3, text.count)))
            output += text.part(index..<next)
            if count == 0 { output.append(text.bytes[next]) } else if let replacement { output.append(replacement) }
            index = next + max(count, 1)
        }
        return index == 0 ? nil : output + text.part(min(index, text.count)..<text.count)
    }

    /// Returns the length of an invisible character, and what replaces it; a length of 0 for any other character.
    private static func invisible(_ bytes: ArraySlice<UInt8>) -> (count: Int, replacement: UInt8?) {
        let sequence = [UInt8](bytes)
        guard sequence.count > 1 else { return (0, nil) }
        switch (sequence[0], sequence[1]) {
        case (0xC2, 0xA0), (0xC2, 0x85): return (2, 0x20)
        case (0xC2, 0xAD), (0xCD, 0x8F), (0xD8, 0x9C): return (2, nil)
        default: break
        }
        guard sequence.count > 2 else { return (0, nil) }
        switch (sequence[0], sequence[1], sequence[2]) {
        case (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xAF), (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80): return (3, 0x20)
        case (0xE2, 0x80, 0xA8...0xA9): return (3, 0x0A)
        case (0xE2, 0x80, 0x8B...0x8F), (0xE2, 0x80, 0xAA...0xAE), (0xE2, 0x81, 0xA0...0xAF), (0xE1, 0xA0, 0x8E),
            (0xEF, 0xBB, 0xBF):
            return (3, nil)
        default: return (0, nil)
        }
    }
}
