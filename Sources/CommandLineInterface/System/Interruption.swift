#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Leaves no half-written file behind when the tool is stopped.
package enum Interruption {
    // Safe: written by the main thread alone; a pointer is written at once on every platform there is, and the memory
    // behind it is never freed, so a handler finds a whole path or none.
    nonisolated(unsafe) private static var unfinishedPath: UnsafeMutablePointer<CChar>?
    nonisolated(unsafe) private static var keptPath: UnsafeMutablePointer<CChar>?

    // Safe: written by the main thread alone, and one byte is read whole.
    nonisolated(unsafe) private static var isResumable = false
    // Safe: written before there is a handler.
    nonisolated(unsafe) private static var hint: StaticString = ""

    // Safe: each is one word that is written and read whole; the handler writes one, the main thread the other.
    nonisolated(unsafe) private static var isPostponed = false
    nonisolated(unsafe) private static var signalNumber: Int32 = 0

    /// Makes SIGINT and SIGTERM end the tool with 128 and the signal's number, and a closed pipe an error to handle.
    ///
    /// - Parameter hint: What is said then where a run can be continued.
    package static func install(hint: StaticString) {
        unsafe self.hint = hint
        _ = signal(SIGPIPE, SIG_IGN)
        // A parent may have blocked the signals, for example a thread of a dispatch queue, and hands that on.
        var signals = sigset_t()
        _ = unsafe sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] { _ = unsafe sigaddset(&signals, number) }
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        for number in [SIGINT, SIGTERM] {
            // Safe: unlink, write and _exit may be called in a signal handler (POSIX 2.4.3).
            _ = signal(number) { number in
                guard unsafe !Interruption.isPostponed else {
                    unsafe Interruption.signalNumber = number
                    return
                }
                if let path = unsafe Interruption.unfinishedPath { _ = unsafe unlink(path) }
                if unsafe Interruption.isResumable {
                    _ = unsafe write(
                        2, unsafe Interruption.hint.utf8Start, unsafe Interruption.hint.utf8CodeUnitCount)
                }
                _exit(128 + number)
            }
        }
    }

    /// Names the file to remove when the tool is stopped; nil when there is none any more.
    package static func setUnfinished(_ path: String?) {
        // A copy is never freed, since a handler may be reading it on another thread: there is one output in a run, whose
        // copy serves each time.
        if let path, unsafe keptPath == nil { unsafe keptPath = unsafe strdup(path) }
        unsafe unfinishedPath = path == nil ? nil : unsafe keptPath
    }

    /// Lets work that leaves more than one file be ended by itself: it asks ``isRequested`` now and then, and calls
    /// ``obey()`` when it has cleaned up, or ``listen()`` when it is done.
    package static func postpone() {
        unsafe isPostponed = true
    }

    /// Whether a signal has come that was postponed.
    package static var isRequested: Bool { unsafe signalNumber != 0 }

    /// Ends the tool if a signal has come meanwhile; from now on they end it at once again.
    package static func obey() {
        listen()
        if isRequested { SystemCalls.exit(unsafe 128 + signalNumber) }
    }

    /// Lets signals end the tool at once again; one that has come meanwhile came too late.
    package static func listen() {
        unsafe isPostponed = false
    }

    /// Says whether an interrupted run can be continued.
    package static func setIsResumable(_ isResumable: Bool) {
        unsafe self.isResumable = isResumable
    }
}
