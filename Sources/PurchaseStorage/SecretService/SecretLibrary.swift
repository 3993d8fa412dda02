internal import PurchaseCore

#if !canImport(Security)
    internal import CSecretService
    internal import ReceiptTypes

    /// The functions of libsecret, which is opened at run time.
    @safe
    final class SecretLibrary: Sendable {
        // Safe to share: the table never changes, and the functions in it can be called on any thread.
        private nonisolated(unsafe) let raw: OpaquePointer

        /// Opens a library, such as `libsecret-1.so.0`.
        init(_ name: String) throws(SealedStoreError) {
            var pointer: OpaquePointer?
            try SecretServiceFailure.check { unsafe ss_library_new(name, &pointer, &$0) }
            guard let pointer = unsafe pointer else { throw SealedStoreError(.libraryMissing, name) }
            unsafe raw = pointer
        }

        deinit { unsafe ss_library_free(raw) }

        func withRaw<Result>(
            _ body: (OpaquePointer) throws(SealedStoreError) -> Result
        ) throws(SealedStoreError) -> Result {
            try unsafe body(raw)
        }
    }

    /// What ends the calls of one operation, from any thread.
    @safe
    final class SecretCalls: Sendable {
        // Safe to share: GLib's object for this is made for it, and each user of the pointer keeps this object alive.
        private nonisolated(unsafe) let raw: OpaquePointer
        let library: SecretLibrary

        init(_ library: SecretLibrary) throws(SealedStoreError) {
            var pointer: OpaquePointer?
            try unsafe library.withRaw { (library) throws(SealedStoreError) in
                try SecretServiceFailure.check { unsafe ss_cancellation_new(library, &pointer, &$0) }
            }
            guard let pointer = unsafe pointer else { throw SealedStoreError(.outOfResources, "out of memory") }
            self.library = library
            unsafe raw = pointer
        }

        deinit { unsafe ss_cancellation_free(raw) }

        func cancel() { unsafe ss_cancellation_cancel(raw) }

        func withRaw<Result>(
            _ body: (_ library: OpaquePointer, _ cancellation: OpaquePointer) throws(SealedStoreError) -> Result
        ) throws(SealedStoreError) -> Result {
            try unsafe library.withRaw { (library) throws(SealedStoreError) in try unsafe body(library, raw) }
        }
    }

    /// The end of an operation for its caller, which can come before the library is open.
    final class SecretCancellation: Sendable {
        private struct State {
            var isCancelled = false
            var calls: SecretCalls?
        }

        private let state = Locked(State())

        var isCancelled: Bool { state.withLock(\.isCancelled) }

        /// Ends the calls that run, and those that come.
        func cancel() {
            let calls = state.withLock { state in
                state.isCancelled = true
                return state.calls
            }
            // Outside the lock: GLib calls what has asked to be told.
            calls?.cancel()
        }

        /// Makes calls end with this object.
        func cover(_ calls: SecretCalls) {
            let isCancelled = state.withLock { state in
                state.calls = calls
                return state.isCancelled
            }
            if isCancelled { calls.cancel() }
        }
    }

    enum SecretServiceFailure {
        /// Runs a C function, and throws the error for its status.
        static func check(_ call: (inout ss_message) -> ss_status) throws(SealedStoreError) {
            var message = ss_message()
            let code: SealedStoreError.Code
            switch call(&message) {
            case .SS_OK: return
            case .SS_NO_LIBRARY: code = .libraryMissing
            case .SS_NO_SERVICE: code = .keyServiceMissing
            case .SS_LOCKED: code = .keysLocked
            case .SS_CANCELLED, .SS_TIMED_OUT: code = .keysTimedOut
            case .SS_FAILED: code = .keysUnavailable
            case .SS_NO_MEMORY: code = .outOfResources
            }
            throw SealedStoreError(code, "the Secret Service cannot be used: \(text(of: message))")
        }

        private static func text(of message: ss_message) -> String {
            // Safe: the text ends with a zero byte within its array.
            unsafe withUnsafeBytes(of: message.text) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
    }
#endif
