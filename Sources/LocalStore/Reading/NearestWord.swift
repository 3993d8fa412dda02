/// Finds what somebody meant to write.
enum NearestWord {
    /// The word that is closest to a text, if one is close enough to be meant.
    static func to(_ text: String, in words: [String]) -> String? {
        // The cost below grows with the product of both lengths; nobody misspells a key into a long text.
        guard !text.isEmpty, text.utf8.count <= 40 else { return nil }
        let wanted = Array(text.lowercased().utf8)
        var best: (word: String, distance: Int)?
        for word in words {
            let distance = distance(wanted, Array(word.lowercased().utf8))
            if distance < best?.distance ?? .max { best = (word, distance) }
        }
        guard let best, best.distance <= max(1, wanted.count / 3) else { return nil }
        return best.word
    }

    /// Edits between two texts.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (letter == other ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }
}
