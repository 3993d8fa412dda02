/// Finds the labels of the textual encoding of keys and certificates (RFC 7468), in UTF-8 and in UTF-16.
enum PEMLabels {
    private static let beginning = [UInt8]("-----BEGIN ".utf8)
    private static let end = [UInt8]("-----".utf8)
    private static let dashes = ByteSet("-").inverted
    /// The length of the longest label that is read.
    private static let maximumLength = 64
    private static let maximumCount = 16

    /// Returns the first labels of a text.
    static func first(in text: ScannedText) -> [String] {
        var labels: [String] = []
        forEach(in: text) { label in
            labels.append(label)
            return labels.count < maximumCount
        }
        return labels
    }

    /// Returns whether a label of a text contains some words.
    static func contain(_ words: String, in text: ScannedText) -> Bool {
        var isFound = false
        forEach(in: text) { label in
            isFound = label.contains(words)
            return !isFound
        }
        return isFound
    }

    /// Calls `body` with each label until it returns false.
    ///
    /// Each byte is read a fixed number of times: the text before a label has five dashes.
    private static func forEach(in text: ScannedText, _ body: (String) -> Bool) {
        var index = 0
        while case let dash = text.end(of: dashes, from: index), dash < text.count {
            index = dash + 1
            guard let start = self.index(after: beginning, in: text, from: dash),
                let label = label(in: text, from: start)
            else { continue }
            index = start
            guard body(label) else { return }
        }
    }

    /// Returns the index after some characters, between which there can be the zeros of UTF-16; nil for other
    /// characters.
    private static func index(after characters: [UInt8], in text: ScannedText, from start: Int) -> Int? {
        var index = start
        for character in characters {
            while text[index] == 0 { index += 1 }
            guard text[index] == character else { return nil }
            index += 1
        }
        return index
    }

    private static func label(in text: ScannedText, from start: Int) -> String? {
        let length = 2 * (maximumLength + end.count)
        let rest = text.part(start..<min(start + length, text.count)).filter { $0 != 0 }
        guard let close = rest.firstRange(of: end) else { return nil }
        return String(decoding: rest[..<close.lowerBound], as: UTF8.self)
    }
}
