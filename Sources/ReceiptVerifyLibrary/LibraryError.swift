internal import CReceiptVerify

/// The reason why a call of the C interface fails: its status, and a message for the caller's buffer.
struct LibraryError: Error {
    let status: Int32
    let message: String

    static func misuse(_ message: String) -> LibraryError {
        LibraryError(status: RECEIPTVERIFY_MISUSE, message: message)
    }

    static func policy(_ message: String) -> LibraryError {
        LibraryError(status: RECEIPTVERIFY_POLICY, message: message)
    }

    static func resources(_ message: String) -> LibraryError {
        LibraryError(status: RECEIPTVERIFY_RESOURCES, message: message)
    }

    static let stopped = LibraryError(
        status: RECEIPTVERIFY_STOPPED, message: "the function that receives the results has stopped the call")

    /// Returns a status in words.
    static func text(of status: Int32) -> StaticString {
        switch status {
        case RECEIPTVERIFY_OK: "no error"
        case RECEIPTVERIFY_MISUSE: "an argument cannot be used"
        case RECEIPTVERIFY_POLICY: "the policy cannot be used"
        case RECEIPTVERIFY_STOPPED: "the function that receives the results has stopped the call"
        case RECEIPTVERIFY_RESOURCES: "the system has no memory or no thread left"
        default: "an unknown status"
        }
    }
}
