internal import ReceiptTypes

/// Finds compact JWS in a text, with line breaks and blanks at any place in them.
///
/// A JWS begins where a word decodes to the beginning of a JSON object. From there its characters are collected over
/// white space, until the third segment has the length of an ES256 signature at the end of a word: so the words after a
/// JWS do not become part of it, and a signature that is too long is not cut, also one that goes on in a wrapping. A
/// collection stops at the beginning of another JWS, so that no JWS hides one behind it.
struct JWSScan {
    /// The most white space between two characters of a JWS, such as an indentation.
    private static let maximumGap = 256
    /// A word that is shorter than this is joined to an incomplete JWS only if that makes it complete.
    private static let minimumLine = 16
    /// The most characters in words that may not belong to a JWS, where any long word can begin one: without a bound, a
    /// table of numbers would be read to its end from each row.
    private static let maximumLookAhead = 1024
    /// The farthest dot for which these characters are collected, with the white space between them.
    private static let maximumReach = 4 * maximumLookAhead
    private static let dot = UInt8(ascii: ".")

    private static let partsOfSegment = ByteSet { $0 != dot && ByteSet.partsOfJWS.contains($0) }
    private static let notPartsOfJWS = ByteSet.partsOfJWS.inverted
    private static let signsOfChange = ByteSet("+-")
    private static let signsOfDifference = ByteSet("+-@ ")
    private static let notForeignDigits = ByteSet("+/=").inverted
    /// The digits of a JWS without those of other alphabets.
    private static let nativeDigits = ByteSet { ByteSet.partsOfJWS.contains($0) && notForeignDigits.contains($0) }

    private let text: ScannedText
    /// The first dot at or after an index, which is kept since it can be far away.
    private var nextDot = (from: 0, index: -1)

    private init(text: ScannedText) {
        self.text = text
    }

    /// Returns the JWS in a text and the parts of some, in order.
    static func candidates(in text: ScannedText) -> [JWSCandidate] {
        var scan = JWSScan(text: text)
        var candidates: [JWSCandidate] = []
        var index = 0
        while let start = scan.nextStart(from: index, to: text.count) {
            let candidate = scan.collect(from: start)
            candidates.append(candidate)
            index = max(candidate.range.upperBound, start + 1)
        }
        return candidates
    }

    /// Returns the JWS in a text whose beginning is damaged: what ends like a JWS, or has two long segments and a
    /// third.
    static func candidatesWithoutBeginning(in text: ScannedText) -> [JWSCandidate] {
        var scan = JWSScan(text: text)
        var candidates: [JWSCandidate] = []
        var index = 0
        while case let start = text.end(of: notPartsOfJWS, from: index), start < text.count {
            // The end of the whole word is not needed here: it can be far away, and a word can have several JWS.
            index = text.end(of: ByteSet.partsOfJWS, from: start, to: start + minimumLine)
            guard index - start >= minimumLine else { continue }
            let candidate = scan.collect(from: start, lookAhead: maximumLookAhead)
            if candidate.endsLikeJWS { candidates.append(candidate) }
            index = max(candidate.range.upperBound, start + 1)
        }
        return candidates
    }

    // MARK: The beginning

    private func nextStart(from start: Int, to end: Int) -> Int? {
        var index = start
        while let found = text.index(of: "e", from: index, to: end) {
            if isStart(found) { return found }
            index = found + 1
        }
        return nil
    }

    /// Returns whether a word begins at an index that decodes to the beginning of a JSON object.
    private func isStart(_ index: Int) -> Bool {
        guard text[index] == UInt8(ascii: "e"), isBeginningOfWord(index) else { return false }
        let digits = beginning(at: index)
        let groups = digits.prefix(digits.count / 4 * 4)
        guard JWSForm.beginsWithObject(digits), let bytes = Base64.url.decode(String(decoding: groups, as: UTF8.self))
        else { return false }
        // By chance, a line within a JWS begins like an object once in 250,000 lines, but hardly with printable text.
        return bytes.allSatisfy { (0x20...0x7E).contains($0) || $0.isWhiteSpace }
    }

    /// Returns whether a JWS can begin at an index: not within a segment, and not after a dot.
    ///
    /// After a `=`, `+` or `/` only the value of an assignment or the end of a path begins. Without a word before them,
    /// they are a flaw of the JWS. The `+` or `-` of a line of a difference (POSIX diff -u) is no part of it.
    private func isBeginningOfWord(_ index: Int) -> Bool {
        guard let last = text[index - 1], ByteSet.partsOfJWS.contains(last) else { return true }
        if Self.signsOfChange.contains(last), isInDifference(index - 1) { return true }
        guard last != Self.dot, !Base64.isURLDigit(last) else { return false }
        var before = index - 1
        while let sign = text[before], !Self.notForeignDigits.contains(sign) { before -= 1 }
        return text[before].map(ByteSet.partsOfJWS.contains) == true
    }

    /// Returns whether a line begins at an index, and the line before it is one of a difference.
    private func isInDifference(_ index: Int) -> Bool {
        guard text[index - 1] == 0x0A, let last = text[index - 2], last != 0x0A else { return false }
        var start = index - 2
        // Each line is read once, by the one that follows it.
        while start > 0, let byte = text[start - 1], byte != 0x0A { start -= 1 }
        return text[start].map(Self.signsOfDifference.contains) == true
    }

    /// Returns the first characters of a word; also those after white space if the word is too short to tell.
    private func beginning(at start: Int) -> [UInt8] {
        let (enough, count, maximumGap) = (8, 24, 16)
        var digits: [UInt8] = []
        var gap = 0
        var index = start
        while let byte = text[index] {
            index += 1
            if Base64.isURLDigit(byte) {
                digits.append(byte)
                gap = 0
                if digits.count == count { break }
            } else {
                gap += 1
                if digits.count >= enough || gap > maximumGap || !byte.isWhiteSpace { break }
            }
        }
        return digits
    }

    // MARK: The rest

    /// The end of a part of a JWS, in the text and in the collected characters.
    private struct End {
        var index: Int
        var count = 0
        var dots = 0
    }

    /// Collects the JWS that begins at an index.
    ///
    /// - Parameter lookAhead: The most characters that are collected only to find out whether they complete it.
    private mutating func collect(from start: Int, lookAhead: Int = .max) -> JWSCandidate {
        var jws: [UInt8] = []
        var dots = 0
        var segment = 0
        var index = start
        // Where an incomplete JWS ends.
        var end = End(index: start)
        var isJoining = true
        // Lines of the same length belong together, however short they are.
        var firstLength = 0
        while true {
            let word = (start: index, count: jws.count)
            let wordEnd = self.wordEnd(from: index)
            while index < wordEnd {
                let dot = text.end(of: Self.partsOfSegment, from: index, to: wordEnd)
                jws += text.part(index..<dot)
                segment += dot - index
                index = dot
                // The dots after the signature belong to the sentence around it.
                guard dot < wordEnd, !(dots == 2 && segment == JWSForm.signatureLength && isEndOfSentence(dot))
                else { break }
                jws.append(Self.dot)
                dots += 1
                segment = 0
                index += 1
            }
            if dots == 2, segment == JWSForm.signatureLength, JWSForm.isSound(jws) {
                // Short words between long ones can be the numbers of lines.
                guard isJoining || text.budget.spend(jws.count) && JWSForm.hasObjects(jws) else { break }
                let wrapping = Unwrapping.beginning(ofWordAt: index, in: text)
                return JWSCandidate(
                    range: start..<index + wrapping.count, jws: jws + wrapping, isComplete: wrapping.isEmpty)
            }
            if word.start == start { firstLength = index - start }
            let length = index - word.start
            isJoining = isJoining && (length >= Self.minimumLine || length == firstLength)
            if isJoining { end = End(index: index, count: jws.count, dots: dots) }
            guard jws.count - end.count <= lookAhead else { break }
            if !isJoining, dots < 2, lookAhead < .max, dot(from: index) - index > Self.maximumReach { break }
            guard dots < 2 || dots == 2 && segment < JWSForm.signatureLength, let next = wordAfterGap(index) else {
                break
            }
            if isStart(next) {
                // The payload begins like a header. If no complete JWS comes of it, it is another JWS.
                guard dots == 1, segment == 0 else { break }
                isJoining = false
            }
            index = next
        }
        while end.dots > 2, jws[end.count - 1] == Self.dot { (end.count, end.dots) = (end.count - 1, end.dots - 1) }
        return JWSCandidate(range: start..<end.index, jws: Array(jws[..<end.count]), isComplete: false)
    }

    /// Returns the index of the first dot at or after an index; the end of the text if there is none.
    private mutating func dot(from index: Int) -> Int {
        if index < nextDot.from || index > nextDot.index {
            nextDot = (index, text.index(of: ".", from: index) ?? text.count)
        }
        return nextDot.index
    }

    /// Returns the end of a word, or the beginning of another JWS within it, such as the value of a parameter.
    private func wordEnd(from start: Int) -> Int {
        var index = start
        // Looking for the end of the whole word first would read the rest of a long word once for each JWS in it.
        while true {
            index = text.end(of: Self.nativeDigits, from: index)
            guard let sign = text[index], ByteSet.partsOfJWS.contains(sign) else { return index }
            index += 1
            if isStart(index) { return index }
        }
    }

    private func isEndOfSentence(_ index: Int) -> Bool {
        let after = text.part(index..<min(index + 8, text.count)).drop { $0 == Self.dot }
        return after.first.map { !ByteSet.partsOfJWS.contains($0) } ?? true
    }

    /// Returns the index of the next word; nil unless only white space is in between.
    private func wordAfterGap(_ start: Int) -> Int? {
        let index = text.end(of: ByteSet.spaces, from: start, to: start + Self.maximumGap)
        return index > start && text[index].map(ByteSet.partsOfJWS.contains) == true ? index : nil
    }
}
