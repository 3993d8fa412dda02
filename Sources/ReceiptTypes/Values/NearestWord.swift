/// Suggests a known word in place of a misspelled one.
package enum NearestWord {
    /// Returns the word that is most similar to a text; nil if none is similar enough.
    package static func to(_ text: String, in words: [String]) -> String? {
        let wanted = Array(text.lowercased().unicodeScalars)
        // The cost of the comparison grows with the product of both lengths, and a long text is not a misspelled name.
        guard !wanted.isEmpty, wanted.count <= 40 else { return nil }
        let ranked = words.map { (word: $0, distance: distance(wanted, Array($0.lowercased().unicodeScalars))) }
        let tolerance = max(1, wanted.count / 3)
        guard let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= tolerance else { return nil }
        return best.word
    }

    /// Returns the number of edits between two texts; a swap of two adjacent letters is one edit.
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
