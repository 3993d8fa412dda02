internal import ReceiptTypes
internal import ReceiptVectors
internal import ReceiptVerification
internal import ReceiptVerifyLibrary

/// Creates a verifier for a test vector; returns NULL if it cannot be set up.
///
/// Vectors have policies, roots and a clock that no policy file can have. Programs in other languages load this library
/// instead of `libreceiptverify` to run the vectors; it is never installed.
///
/// - Parameters:
///   - vector: A JSON object with the members `group` and `test`.
///   - length: The number of bytes.
@c(receiptverify_vectors_create)
public func createVerifier(_ vector: UnsafeRawPointer?, _ length: Int) -> OpaquePointer? {
    guard let vector = unsafe vector, length > 0 else { return nil }
    // Safe: the caller, a test, vouches for `length` bytes at the pointer.
    let text = unsafe [UInt8](UnsafeRawBufferPointer(start: vector, count: length))
    guard let object = (try? JSONDocument.value(of: text))?.object, let group = object["group"]?.object,
        let test = object["test"]?.object, let verifier = VectorVerifier.make(group: group, test: test)
    else { return nil }
    return unsafe LibraryVerifier(verifier).retainedHandle()
}
