import CReceiptVerify
import Foundation

/// Calls the C interface as a program in C would.
// Safe: the handle is used only until `deinit` frees it.
@safe
struct Interface: ~Copyable {
    struct Failure: Error {
        let status: Int32
        let message: String
    }

    private let handle: OpaquePointer

    init(policy: String, folder: String = "") throws {
        var handle: OpaquePointer?
        var message = [CChar](repeating: 0, count: Int(RECEIPTVERIFY_MESSAGE_SIZE))
        let status = unsafe receiptverify_create(
            policy, policy.utf8.count, folder, folder.utf8.count, &handle, &message, message.count)
        guard status == RECEIPTVERIFY_OK, let handle = unsafe handle else {
            throw Failure(status: status, message: Self.text(message))
        }
        unsafe self.handle = handle
    }

    deinit { unsafe receiptverify_free(handle) }

    func verify(_ receipt: [UInt8], kind: String = "") throws -> String {
        try unsafe call { context, message, size in
            unsafe receiptverify_verify(
                handle, receipt, receipt.count, kind, kind.utf8.count, append, context, message, size)
        }
    }

    func verify(_ receipt: String, kind: String = "") throws -> String { try verify([UInt8](receipt.utf8), kind: kind) }

    func verify(lines: String, field: String = "", jobs: UInt32 = 1, flags: Int32 = 0) throws -> [String] {
        try unsafe call { context, message, size in
            unsafe receiptverify_verify_lines(
                handle, lines, lines.utf8.count, field, field.utf8.count, jobs, UInt32(flags), append, context, message,
                size)
        }.split(separator: "\n").map(String.init)
    }

    func statistics() throws -> String {
        try unsafe call { context, message, size in
            unsafe receiptverify_statistics(handle, append, context, message, size)
        }
    }

    @unsafe
    private func call(
        _ function: (UnsafeMutableRawPointer, UnsafeMutablePointer<CChar>?, Int) -> Int32
    ) throws -> String {
        let collected = Collected()
        var message = [CChar](repeating: 1, count: Int(RECEIPTVERIFY_MESSAGE_SIZE))
        let size = message.count
        // Safe: the object lives until the call has returned.
        let status = withExtendedLifetime(collected) {
            unsafe message.withUnsafeMutableBufferPointer {
                unsafe function(Unmanaged.passUnretained(collected).toOpaque(), $0.baseAddress, size)
            }
        }
        guard status == RECEIPTVERIFY_OK else { throw Failure(status: status, message: Self.text(message)) }
        return String(decoding: collected.bytes, as: UTF8.self)
    }

    private static func text(_ message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The results of one call.
private final class Collected {
    var bytes: [UInt8] = []
}

/// Appends the bytes of a result to those of the context.
private func append(_ context: UnsafeMutableRawPointer?, _ bytes: UnsafeRawPointer?, _ length: Int) -> Int32 {
    guard let context = unsafe context else { return 1 }
    // Safe: the context is the object of `call`, and the library passes `length` bytes.
    unsafe Unmanaged<Collected>.fromOpaque(context).takeUnretainedValue()
        .bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: length))
    return 0
}
