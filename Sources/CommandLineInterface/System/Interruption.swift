#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Handles SIGINT and SIGTERM, so that an interrupted tool leaves no half-written file behind.
package enum Interruption {
    // Safe: only the main thread writes these pointers. Every supported platform stores a pointer in one instruction, and
    // the memory is never freed, so a handler reads either a complete path or nil.
    nonisolated(unsafe) private static var pathToRemove: UnsafeMutablePointer<CChar>?
    nonisolated(unsafe) private static var copiedPath: UnsafeMutablePointer<CChar>?

    // Safe: only the main thread writes this byte.
    nonisolated(unsafe) private static var isResumable = false
    // Safe: written before any handler is installed.
    nonisolated(unsafe) private static var resumptionHint: StaticString = ""

    // Safe: each is a single word; only the main thread writes the first, and only the handler the second.
    nonisolated(unsafe) private static var isDeferring = false
    nonisolated(unsafe) private static var pendingSignal: Int32 = 0

    /// Makes SIGINT and SIGTERM exit with 128 plus the signal number, and turns a closed pipe into an error of `write`.
    ///
    /// - Parameter resumptionHint: The message to print if the interrupted run can be resumed.
    package static func install(resumptionHint: StaticString) {
        unsafe self.resumptionHint = resumptionHint
        _ = signal(SIGPIPE, SIG_IGN)
        // The process inherits blocked signals from its parent, for example from a thread of a dispatch queue.
        var signals = sigset_t()
        _ = unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] { _ = unsafe sigaddset(&signals, number) }
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        for number in [SIGINT, SIGTERM] {
            // Safe: unlink, write and _exit are async-signal-safe (POSIX 2.4.3).
            _ = signal(number) { number in
                guard unsafe !Interruption.isDeferring else {
                    unsafe Interruption.pendingSignal = number
                    return
                }
                if let path = unsafe Interruption.pathToRemove { _ = unsafe unlink(path) }
                if unsafe Interruption.isResumable {
                    _ = unsafe write(
                        2, unsafe Interruption.resumptionHint.utf8Start,
                        unsafe Interruption.resumptionHint.utf8CodeUnitCount)
                }
                _exit(128 + number)
            }
        }
    }

    // MARK: The output file

    /// Sets the file to remove when the tool is interrupted; nil for none.
    package static func setFileToRemove(_ path: String?) {
        // A run has one output file. Its path is copied once and never freed, because a handler may be reading it.
        if let path, unsafe copiedPath == nil { unsafe copiedPath = unsafe strdup(path) }
        unsafe pathToRemove = path == nil ? nil : unsafe copiedPath
    }

    /// Sets whether an interrupted run can be resumed, and so prints the hint.
    package static func setIsResumable(_ isResumable: Bool) {
        unsafe self.isResumable = isResumable
    }

    // MARK: Deferring

    /// Defers signals during work that needs its own cleanup.
    ///
    /// The work checks ``isPending`` regularly. After its cleanup it calls ``exitIfPending()``; on success it calls
    /// ``endDeferring()``.
    package static func beginDeferring() {
        unsafe isDeferring = true
    }

    /// Whether a signal has arrived since ``beginDeferring()``.
    package static var isPending: Bool { unsafe pendingSignal != 0 }

    /// Stops deferring signals, and exits if one is pending.
    package static func exitIfPending() {
        endDeferring()
        if isPending { SystemCalls.exit(unsafe 128 + pendingSignal) }
    }

    /// Stops deferring signals; a pending one arrived too late and is ignored.
    package static func endDeferring() {
        unsafe isDeferring = false
    }
}
