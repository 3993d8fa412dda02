internal import CMicroHTTPD

/// A call of libmicrohttpd about a request: its head, a part of its body, or its end.
///
/// It is used only during the call, because its pointer is valid no longer.
@safe
struct RequestMessage {
    let method: String
    /// The bytes of the body that this call has; none for the head and for the end.
    let part: [UInt8]
    private let raw: OpaquePointer
    /// The place of the method, at which the head begins.
    private let methodPlace: Range<Int>

    @unsafe
    init(_ raw: OpaquePointer, method: UnsafePointer<CChar>?, part: UnsafePointer<CChar>?, count: Int) {
        unsafe self.raw = raw
        // The text ends with a zero byte. Bytes that are not UTF-8 are replaced, so that they match no method.
        self.method = unsafe method.map { unsafe String(cString: $0) } ?? ""
        methodPlace = unsafe Self.place(method, self.method.utf8.count)
        self.part = unsafe Array(UnsafeRawBufferPointer(start: part, count: unsafe part == nil ? 0 : count))
    }

    /// The number of bytes of the request before its body.
    var headSize: Int { unsafe preview_http_head_size(raw) }

    /// The headers with their places.
    private struct Head {
        var headers = HTTPHeaders()
        var layout: HeadLayout
    }

    /// Returns the headers; nil if a name is no token, or the head has bytes that are in none of its parts, such as
    /// those behind a NUL.
    ///
    /// Bytes that are not UTF-8 are replaced, so that they match no expected value.
    ///
    /// - Parameter target: The place of the target.
    func headers(after target: Range<Int>) -> HTTPHeaders? {
        var head = Head(layout: HeadLayout(method: methodPlace, target: target))
        unsafe withUnsafeMutablePointer(to: &head) { pointer in
            _ = unsafe MHD_get_connection_values_n(
                raw, .HEADER_KIND,
                { context, _, name, nameCount, value, valueCount in
                    // Safe: the context is the pointer above, which is valid during this call.
                    let head = unsafe context?.assumingMemoryBound(to: Head.self)
                    unsafe head?.pointee.headers.append(
                        RequestMessage.text(name, nameCount), RequestMessage.text(value, valueCount))
                    let nameStart = unsafe RequestMessage.place(name, nameCount).lowerBound
                    let valueEnd = unsafe RequestMessage.place(value, valueCount).upperBound
                    unsafe head?.pointee.layout.addHeader(nameStart..<max(nameStart, valueEnd))
                    return .YES
                }, pointer)
        }
        guard head.headers.hasOnlyTokens else { return nil }
        guard preview_http_ends_texts_at_nul() else { return head.headers }
        return head.layout.fills(headSize) ? head.headers : nil
    }

    /// Returns the place of a text, which is only compared with others.
    @unsafe
    static func place(_ start: UnsafePointer<CChar>?, _ count: Int) -> Range<Int> {
        let place = Int(bitPattern: start)
        return place..<place + count
    }

    @unsafe
    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: unsafe start == nil ? 0 : count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}
