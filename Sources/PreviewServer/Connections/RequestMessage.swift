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

    @unsafe
    init(_ raw: OpaquePointer, method: UnsafePointer<CChar>?, part: UnsafePointer<CChar>?, count: Int) {
        unsafe self.raw = raw
        // The text ends with a zero byte. Bytes that are not UTF-8 are replaced, so that they match no method.
        self.method = unsafe method.map { unsafe String(cString: $0) } ?? ""
        self.part = unsafe Array(UnsafeRawBufferPointer(start: part, count: unsafe part == nil ? 0 : count))
    }

    /// The number of bytes of the request before its body.
    var headSize: Int { unsafe preview_http_head_size(raw) }

    /// Returns the headers. Bytes that are not UTF-8 are replaced, so that they match no expected value.
    func headers() -> HTTPHeaders {
        var headers = HTTPHeaders()
        unsafe withUnsafeMutablePointer(to: &headers) { pointer in
            _ = unsafe MHD_get_connection_values_n(
                raw, .HEADER_KIND,
                { context, _, name, nameCount, value, valueCount in
                    // Safe: the context is the pointer above, which is valid during this call.
                    let headers = unsafe context?.assumingMemoryBound(to: HTTPHeaders.self)
                    unsafe headers?.pointee.append(
                        RequestMessage.text(name, nameCount), RequestMessage.text(value, valueCount))
                    return .YES
                }, pointer)
        }
        return headers
    }

    @unsafe
    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: unsafe start == nil ? 0 : count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}
