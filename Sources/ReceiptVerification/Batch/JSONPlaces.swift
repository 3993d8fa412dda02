/// Finds the values at a path of JSON that the parser has accepted, as ranges of its bytes.
///
/// The parser keeps one of several members with one name; here they are recognized.
enum JSONPlaces {
    /// Whether a record has a path.
    enum Presence {
        /// The path leads to a value, or to an array without elements.
        case present
        case absent
        /// An object on the path has the next name more than once, so it is not known which value is meant.
        case repeated
    }

    /// Calls `body` with each value at a path.
    ///
    /// If a name on the path is there more than once, the values for which `body` was called are of no use.
    ///
    /// - Parameter isInside: Whether the path is not the name of a member too.
    static func forEach(
        at path: FieldPath, isInside: Bool = false, in text: RawSpan, _ body: (Range<Int>) -> Void
    ) -> Presence {
        let start = JSONBytes.start(ofTokenFrom: 0, in: text)
        if !isInside {
            let (place, isRepeated) = member(named: path.text, ofObjectAt: start, in: text)
            guard !isRepeated else { return .repeated }
            if let place {
                body(place)
                return .present
            }
            guard !path.steps.isEmpty else { return .absent }
        }
        let root = start..<max(start, JSONBytes.end(ofValueAt: start, in: text))
        return forEach(at: path.steps[...], of: root, in: text, body)
    }

    /// The number of steps bounds the recursion.
    private static func forEach(
        at steps: ArraySlice<FieldPath.Step>, of value: Range<Int>, in text: RawSpan, _ body: (Range<Int>) -> Void
    ) -> Presence {
        switch steps.first {
        case nil:
            body(value)
            return .present
        case .member(let name):
            let (place, isRepeated) = member(named: name, ofObjectAt: value.lowerBound, in: text)
            guard !isRepeated else { return .repeated }
            return place.map { forEach(at: steps.dropFirst(), of: $0, in: text, body) } ?? .absent
        case .elements:
            var presence = text.extracting(value).isEmptyJSONArray ? Presence.present : .absent
            JSONBytes.forEachElement(ofArrayAt: value.lowerBound, in: text) { element in
                let found = forEach(at: steps.dropFirst(), of: element, in: text, body)
                if presence != .repeated, found != .absent { presence = found }
            }
            return presence
        }
    }

    /// Returns the value of a member of the object at an offset, and whether there is another one with its name.
    private static func member(
        named name: String, ofObjectAt offset: Int, in text: RawSpan
    ) -> (place: Range<Int>?, isRepeated: Bool) {
        var found: Range<Int>?
        var isRepeated = false
        JSONBytes.forEachMember(ofObjectAt: offset, in: text) { key, value in
            guard RecordCopier.isName(text.extracting(key), name) else { return true }
            isRepeated = found != nil
            found = value
            return !isRepeated
        }
        return (found, isRepeated)
    }
}

extension RawSpan {
    /// The content of a JSON value in which a receipt is searched; nil if the value stands for no receipt.
    ///
    /// A string is unescaped, unless it has characters that no receipt has.
    var receiptInJSON: [UInt8]? {
        if let text = unescapedJSON { return text.withRawSpan { EmptyValue.matches($0) } ? nil : text }
        let isNull = byteCount == 4 && byte(at: 0) == UInt8(ascii: "n")
        return isNull || isEmptyJSONArray ? nil : array
    }

    /// Whether a JSON value is an array without elements, which contains no receipt.
    fileprivate var isEmptyJSONArray: Bool {
        guard byteCount >= 2, byte(at: 0) == UInt8(ascii: "[") else { return false }
        let next = JSONBytes.start(ofTokenFrom: 1, in: self)
        return next < byteCount && byte(at: next) == UInt8(ascii: "]")
    }
}
