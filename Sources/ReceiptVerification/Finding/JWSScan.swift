/// Finds compact JWS in a text, with line breaks and blanks at any place in them.
///
/// A JWS begins where a word decodes to the beginning of a JSON object. From there its characters are collected over white
/// space, until the third segment has the length of an ES256 signature at the end of a word: so the words after a JWS do
/// not become part of it, and a signature that is too long is not cut. Each byte is part of one collection at most, because
/// a collection stops at the beginning of another JWS.
struct JWSScan {
    /// A JWS, or a part of one.
    struct Candidate {
        /// The place in the text, with the white space in between.
        let range: Range<Int>
        /// The characters without white space.
        let jws: [UInt8]
        /// Whether there are three segments, all in base64url, and the signature has 64 bytes.
        let isComplete: Bool

        /// Whether an incomplete JWS is one: it has a dot, or its header names an algorithm or certificates.
        ///
        /// Otherwise it is probably the base64 of JSON.
        var isFragment: Bool {
            if jws.contains(UInt8(ascii: ".")) { return true }
            let digits = jws.prefix(96).prefix { Base64.isURLDigit($0) }
            guard let head = Base64.url.decode(String(decoding: digits.prefix(digits.count / 4 * 4), as: UTF8.self))
            else { return false }
            let text = String(decoding: head, as: UTF8.self)
            return ["\"alg\"", "\"x5c\""].contains(where: text.contains)
        }
    }

    /// The length of the shortest text that is searched.
    static let minimumLength = 32
    /// The most white space between two characters of a JWS, such as an indentation.
    private static let maximumGap = 256
    /// A word that is shorter than this is joined to an incomplete JWS only if that makes it complete.
    private static let minimumLine = 16

    private static let partsOfSegment = ByteSet { $0 != UInt8(ascii: ".") && ByteSet.partsOfJWS.contains($0) }

    private let text: [UInt8]

    /// Returns the JWS in a text and the parts of some, in order.
    static func candidates(in text: [UInt8]) -> [Candidate] {
        let scan = JWSScan(text: text)
        var candidates: [Candidate] = []
        var index = 0
        while let start = scan.nextStart(from: index) {
            let (candidate, end) = scan.collect(from: start)
            candidates.append(candidate)
            index = max(end, start + 1)
        }
        return candidates
    }

    // MARK: The beginning

    private func nextStart(from start: Int) -> Int? {
        var index = start
        while let found = text.firstIndex(of: "e", from: index) {
            if isStart(found) { return found }
            index = found + 1
        }
        return nil
    }

    /// Returns whether a word begins at an index that decodes to the beginning of a JSON object.
    private func isStart(_ index: Int) -> Bool {
        guard text[index] == UInt8(ascii: "e") else { return false }
        if index > 0, Base64.isURLDigit(text[index - 1]) || text[index - 1] == UInt8(ascii: ".") { return false }
        let digits = beginning(at: index)
        let groups = digits.prefix(digits.count / 4 * 4)
        guard JWSForm.beginsWithObject(digits), let bytes = Base64.url.decode(String(decoding: groups, as: UTF8.self))
        else { return false }
        // By chance, a line within a JWS begins like an object once in 250,000 lines, but hardly with printable text.
        return bytes.allSatisfy { (0x20...0x7E).contains($0) || InputDetector.isSpace($0) }
    }

    /// Returns the first characters of a word; also those after white space if the word is too short to tell.
    private func beginning(at start: Int) -> [UInt8] {
        let (enough, count, maximumGap) = (8, 24, 16)
        var digits: [UInt8] = []
        var gap = 0
        for byte in text[start...] {
            if Base64.isURLDigit(byte) {
                digits.append(byte)
                gap = 0
                if digits.count == count { break }
            } else {
                gap += 1
                if digits.count >= enough || gap > maximumGap || !InputDetector.isSpace(byte) { break }
            }
        }
        return digits
    }

    // MARK: The rest

    /// Collects the JWS that begins at an index; returns it with the index at which the search goes on.
    private func collect(from start: Int) -> (Candidate, end: Int) {
        var jws: [UInt8] = []
        var dots = 0
        var segment = 0
        var index = start
        // Where an incomplete JWS ends, in the text and in the collected characters.
        var end = (index: start, count: 0, dots: 0)
        var isJoining = true
        while true {
            let word = (start: index, count: jws.count)
            let wordEnd = ByteSet.partsOfJWS.end(in: text, from: index)
            while index < wordEnd {
                let dot = Self.partsOfSegment.end(in: text, from: index)
                jws += text[index..<dot]
                segment += dot - index
                index = dot
                // The dots after the signature belong to the sentence around it.
                guard dot < wordEnd, !(dots == 2 && segment == JWSForm.signatureLength && isEndOfSentence(dot))
                else { break }
                jws.append(text[dot])
                dots += 1
                segment = 0
                index += 1
            }
            if dots == 2, segment == JWSForm.signatureLength {
                let isSound = JWSForm.isSound(jws)
                if isSound { return (Candidate(range: start..<index, jws: jws, isComplete: true), index) }
            }
            isJoining = isJoining && (word.start == start || index - word.start >= Self.minimumLine)
            if isJoining { end = (index, jws.count, dots) }
            guard dots < 2 || dots == 2 && segment < JWSForm.signatureLength, let next = wordAfterGap(index),
                segment == 0 || !isStart(next)
            else { break }
            index = next
        }
        while end.dots > 2, jws[end.count - 1] == UInt8(ascii: ".") {
            (end.count, end.dots) = (end.count - 1, end.dots - 1)
        }
        return (Candidate(range: start..<end.index, jws: Array(jws[..<end.count]), isComplete: false), index)
    }

    private func isEndOfSentence(_ index: Int) -> Bool {
        let after = text[index...].prefix(8).drop { $0 == UInt8(ascii: ".") }
        return after.first.map { !ByteSet.partsOfJWS.contains($0) } ?? true
    }

    /// Returns the index of the next word; nil unless only white space is in between.
    private func wordAfterGap(_ start: Int) -> Int? {
        let index = ByteSet.spaces.end(in: text, from: start)
        guard index > start, index - start <= Self.maximumGap, index < text.count,
            ByteSet.partsOfJWS.contains(text[index])
        else { return nil }
        return index
    }
}
