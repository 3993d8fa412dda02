// The names are those of C.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import CReceiptVerify
internal import ReceiptTypes

// The functions of receiptverify.h, which describes them. The compiler compares each one with its declaration there.
// Their pointers and lengths come from another language, so nothing is used before it is checked.

/// Returns the version of the library.
@c @implementation
public func receiptverify_version() -> UnsafePointer<CChar>? {
    unsafe pointer(to: PackageVersion.cText)
}

/// Returns a status in words.
@c @implementation
public func receiptverify_status_text(_ status: Int32) -> UnsafePointer<CChar>? {
    unsafe pointer(to: LibraryError.text(of: status))
}

/// Returns the pointer to a text of the program, which ends with a zero byte.
@unsafe
private func pointer(to text: StaticString) -> UnsafePointer<CChar>? {
    // Safe: the text has more than one scalar, so it has a pointer; `CChar` and `UInt8` have the same layout.
    unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// Creates a verifier by a policy.
@c @implementation
public func receiptverify_create(
    _ policy: UnsafeRawPointer?, _ policyLength: Int,
    _ folder: UnsafeRawPointer?, _ folderLength: Int,
    _ verifier: UnsafeMutablePointer<OpaquePointer?>?,
    _ message: UnsafeMutablePointer<CChar>?, _ messageSize: Int
) -> Int32 {
    if let verifier = unsafe verifier { unsafe verifier.pointee = nil }
    return unsafe CallerMessage(message, messageSize).status { () throws(LibraryError) in
        guard let verifier = unsafe verifier else { throw .misuse("the place of the verifier is NULL") }
        let policy = unsafe CallerBytes(
            pointer: policy, length: policyLength, name: "the policy", limit: Int(RECEIPTVERIFY_POLICY_LIMIT))
        let folder = unsafe CallerBytes(
            pointer: folder, length: folderLength, name: "the folder", limit: Int(RECEIPTVERIFY_NAME_LIMIT))
        let created = try unsafe LibraryVerifier(policy: policy.copy(), folder: folder.text())
        unsafe verifier.pointee = created.retainedHandle()
    }
}

/// Verifies one receipt.
@c @implementation
public func receiptverify_verify(
    _ verifier: OpaquePointer?,
    _ receipt: UnsafeRawPointer?, _ receiptLength: Int,
    _ kind: UnsafeRawPointer?, _ kindLength: Int,
    _ write: (@convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int32)?,
    _ context: UnsafeMutableRawPointer?,
    _ message: UnsafeMutablePointer<CChar>?, _ messageSize: Int
) -> Int32 {
    unsafe CallerMessage(message, messageSize).status { () throws(LibraryError) in
        let library = try unsafe LibraryVerifier.verifier(of: verifier)
        let output = try unsafe CallerOutput(write, context)
        let receipt = unsafe CallerBytes(
            pointer: receipt, length: receiptLength, name: "the receipt", limit: Int(RECEIPTVERIFY_RECEIPT_LIMIT))
        let name = try unsafe CallerBytes(
            pointer: kind, length: kindLength, name: "the kind", limit: Int(RECEIPTVERIFY_NAME_LIMIT)
        ).text()
        var required: ReceiptKind?
        if let name {
            required = ReceiptKind(rawValue: name)
            guard required != nil else {
                throw .misuse("the kind is none of \(ReceiptKind.allCases.map(\.rawValue).joined(separator: ", "))")
            }
        }
        try unsafe output.pass(library.result(for: receipt.copy(), kind: required))
    }
}

/// Verifies many receipts, one in each line.
@c @implementation
public func receiptverify_verify_lines(
    _ verifier: OpaquePointer?,
    _ lines: UnsafeRawPointer?, _ linesLength: Int,
    _ field: UnsafeRawPointer?, _ fieldLength: Int,
    _ jobs: UInt32, _ flags: UInt32,
    _ write: (@convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int32)?,
    _ context: UnsafeMutableRawPointer?,
    _ message: UnsafeMutablePointer<CChar>?, _ messageSize: Int
) -> Int32 {
    unsafe CallerMessage(message, messageSize).status { () throws(LibraryError) in
        let library = try unsafe LibraryVerifier.verifier(of: verifier)
        let output = try unsafe CallerOutput(write, context)
        let lines = unsafe CallerBytes(
            pointer: lines, length: linesLength, name: "the lines", limit: Int(RECEIPTVERIFY_LINES_LIMIT))
        let field = try unsafe CallerBytes(
            pointer: field, length: fieldLength, name: "the field", limit: Int(RECEIPTVERIFY_NAME_LIMIT)
        ).text()
        guard jobs <= RECEIPTVERIFY_JOBS_LIMIT else {
            throw .misuse("there are more than \(RECEIPTVERIFY_JOBS_LIMIT) jobs")
        }
        guard flags & ~UInt32(RECEIPTVERIFY_PAYLOADS) == 0 else { throw .misuse("the flags have an unknown bit") }
        // Safe: the caller vouches for the bytes until the call returns.
        let lent = try unsafe LentBytes(lines.buffer)
        defer { lent.end() }
        try library.verify(
            lines: lent, field: field, jobs: Int(jobs), hasPayload: flags & UInt32(RECEIPTVERIFY_PAYLOADS) != 0
        ) { (bytes) throws(LibraryError) in try unsafe output.pass(bytes) }
    }
}

/// Passes on the statistics of a verifier.
@c @implementation
public func receiptverify_statistics(
    _ verifier: OpaquePointer?,
    _ write: (@convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int32)?,
    _ context: UnsafeMutableRawPointer?,
    _ message: UnsafeMutablePointer<CChar>?, _ messageSize: Int
) -> Int32 {
    unsafe CallerMessage(message, messageSize).status { () throws(LibraryError) in
        let library = try unsafe LibraryVerifier.verifier(of: verifier)
        try unsafe CallerOutput(write, context).pass(library.statistics)
    }
}

/// Keeps the bytes of a result for the caller, or frees them.
@c @implementation
public func receiptverify_collect(
    _ context: UnsafeMutableRawPointer?, _ bytes: UnsafeRawPointer?, _ length: Int
) -> Int32 {
    guard let text = unsafe context?.assumingMemoryBound(to: receiptverify_text.self) else { return 1 }
    return unsafe CollectedText(text).append(bytes, length) ? 0 : 1
}

/// Frees a verifier.
@c @implementation
public func receiptverify_free(_ verifier: OpaquePointer?) {
    unsafe LibraryVerifier.release(verifier)
}
