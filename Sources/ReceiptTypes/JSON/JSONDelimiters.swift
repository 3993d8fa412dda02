/// The delimiters of a JSON text, found without parsing it: for bounds that hold before a parser sees the text.
package enum JSONDelimiters {
    /// Calls `body` with the position and the byte of each delimiter outside of strings; returns whether the text ends
    /// inside a string.
    @discardableResult
    package static func forEach(in text: ArraySlice<UInt8>, _ body: (Int, UInt8) -> Void) -> Bool {
        var isInString = false
        var isEscaped = false
        for position in text.indices {
            let byte = text[position]
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "]"),
                UInt8(ascii: "}"):
                body(position, byte)
            default: break
            }
        }
        return isInString
    }
}
