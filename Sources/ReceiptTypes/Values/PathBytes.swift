/// The names of files as texts, without loss.
///
/// The name of a file is a sequence of bytes, which need not be UTF-8. In a path, a byte that is no part of UTF-8
/// stands as a private-use code point, from U+10FE80 for 0x80 to U+10FEFF for 0xFF. If a name contains such a code
/// point itself, its bytes are written in the same way, so that different names are different texts.
package enum PathBytes {
    private static let base: UInt32 = 0x10FE00
    private static let codePoints: ClosedRange<UInt32> = base + 0x80...base + 0xFF

    /// Returns the byte that a code point stands for; nil if it stands for itself.
    package static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        codePoints.contains(scalar.value) ? UInt8(truncatingIfNeeded: scalar.value) : nil
    }

    /// Returns the path with these bytes, up to a NUL if there is one.
    package static func path(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = bytes.prefix { $0 != 0 }
        var result = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var rest = bytes[...]
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .emptyInput: return String(result)
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if byte(of: scalar) == nil {
                    result.append(scalar)
                } else {
                    result.append(contentsOf: encoded.map(codePoint))
                }
                rest = rest.dropFirst(encoded.count)
            case .error(let length):
                result.append(contentsOf: rest.prefix(length).map(codePoint))
                rest = rest.dropFirst(length)
            }
        }
    }

    /// Returns the bytes of a path, without a NUL at their end.
    package static func bytes(of path: String) -> [UInt8] {
        guard path.unicodeScalars.contains(where: { byte(of: $0) != nil }) else { return [UInt8](path.utf8) }
        return path.unicodeScalars.flatMap { scalar in byte(of: scalar).map { [$0] } ?? [UInt8](String(scalar).utf8) }
    }

    private static func codePoint(of byte: UInt8) -> Unicode.Scalar {
        // A code point of the range is valid; the default satisfies the compiler.
        Unicode.Scalar(base + UInt32(byte)) ?? "\u{FFFD}"
    }
}

extension String {
    /// Copies a path of the system.
    ///
    /// - Parameter text: The bytes of the path, with a NUL at their end.
    @unsafe package init(systemPath text: UnsafePointer<CChar>) {
        if let path = unsafe String(validatingCString: text),
            !path.unicodeScalars.contains(where: { PathBytes.byte(of: $0) != nil })
        {
            self = path
            return
        }
        var bytes: [UInt8] = []
        var next = unsafe text
        while unsafe next.pointee != 0 {
            bytes.append(UInt8(bitPattern: unsafe next.pointee))
            unsafe next += 1
        }
        self = PathBytes.path(bytes)
    }

    /// The bytes of a path with a NUL at their end, for a call of the system.
    package var systemPath: [CChar] { PathBytes.bytes(of: self).map(CChar.init(bitPattern:)) + [0] }

    /// The path as results show it: a byte that is no part of UTF-8 is written as `\xFF`.
    package var shownPath: String {
        guard unicodeScalars.contains(where: { PathBytes.byte(of: $0) != nil }) else { return self }
        return unicodeScalars.map { scalar in
            PathBytes.byte(of: scalar).map { "\\x" + String($0, radix: 16, uppercase: true) } ?? String(scalar)
        }.joined()
    }
}
