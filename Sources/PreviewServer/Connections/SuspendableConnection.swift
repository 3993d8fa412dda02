internal import CMicroHTTPD

/// The handle of a connection, to suspend and resume it.
///
/// libmicrohttpd does not close a connection while it is suspended, so the handle of a suspended connection is valid.
// Safe to share: libmicrohttpd permits to resume a connection on any thread. The table calls `suspend` only inside a
// callback of the connection, and `resume` only once for each suspension.
@safe
struct SuspendableConnection: @unchecked Sendable {
    private let raw: OpaquePointer

    @unsafe
    init(_ raw: OpaquePointer) {
        unsafe self.raw = raw
    }

    func suspend() { unsafe MHD_suspend_connection(raw) }

    func resume() { unsafe MHD_resume_connection(raw) }
}
