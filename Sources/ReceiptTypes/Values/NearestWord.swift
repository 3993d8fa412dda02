/// Finds what somebody meant to write.
package enum NearestWord {
    /// The word that is closest to a text, if one is close enough to be meant.
    package static func to(_ text: String, in words: [String]) -> String? {
        let wanted = Array(text.lowercased().unicodeScalars)
        // The cost below grows with the product of both lengths; nobody misspells a name into a long text.
        guard !wanted.isEmpty, wanted.count <= 40 else { return nil }
        let ranked = words.map { (word: $0, distance: distance(wanted, Array($0.lowercased().unicodeScalars))) }
        let tolerance = max(1, wanted.count / 3)
        guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= tolerance else { return nil }
        return best.word
    }

    /// Edits between two texts, where two letters in the wrong order count as one edit.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var rows = [Array(0...right.count)]
        for (i, letter) in left.enumerated() {
            var row = [i + 1]
            for (j, other) in right.enumerated() {
                var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other {
                    cost = min(cost, rows[i - 1][j - 1] + 1)
                }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
