internal import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Handles the signals that end a tool, so that an interrupted one leaves no half-written file behind.
package enum Interruption {
    // Safe: only the main thread writes these pointers. Every supported platform stores a pointer in one instruction,
    // and the memory is never freed, so a handler reads either a complete path or nil.
    nonisolated(unsafe) private static var pathToRemove: UnsafeMutablePointer<CChar>?
    nonisolated(unsafe) private static var copiedPath: UnsafeMutablePointer<CChar>?

    // Safe: only the main thread writes this byte.
    nonisolated(unsafe) private static var isResumable = false
    // Safe: as for the paths above.
    nonisolated(unsafe) private static var plainMessage: UnsafeMutablePointer<CChar>?
    nonisolated(unsafe) private static var keptMessage: UnsafeMutablePointer<CChar>?
    nonisolated(unsafe) private static var removedMessage: UnsafeMutablePointer<CChar>?
    // Safe: written before any handler is installed.
    nonisolated(unsafe) private static var beginning = ""

    // Safe: each is a single word; only the main thread writes the first, and only the handler the second.
    nonisolated(unsafe) private static var isDeferring = false
    nonisolated(unsafe) private static var pendingSignal: Int32 = 0

    // Safe: only the main thread writes this pointer, in one instruction, and what it points to is code.
    nonisolated(unsafe) private static var cleanup: (@convention(c) () -> Void)?
    /// The signals that end a process without a handler.
    private static let signals = [SIGINT, SIGTERM, SIGQUIT, SIGHUP]

    /// Makes the signals that end a process clean up, say what is kept, and end the process by the same signal, as a
    /// shell expects: its loops and scripts end too. Turns a closed pipe into an error of `write`.
    package static func install(name: String) {
        // A terminal shows ^C at the beginning of the line.
        unsafe beginning = "\(SystemCalls.isTerminal(2) ? "\n" : "")\(name): interrupted; "
        unsafe plainMessage = copy(of: "the results are incomplete")
        _ = signal(SIGPIPE, SIG_IGN)
        unblock(signals)
        for number in signals {
            // Safe: the calls of `handle` and `end` are async-signal-safe (POSIX 2.4.3).
            let former = signal(number) { number in
                guard unsafe !Interruption.isDeferring else {
                    unsafe Interruption.pendingSignal = number
                    return
                }
                Interruption.handle(number)
            }
            // Such as by nohup: the parent wants the process to go on after the end of its terminal.
            if [SIGHUP, SIGQUIT].contains(number), isIgnoring(former) { _ = signal(number, SIG_IGN) }
        }
    }

    /// Returns whether what `signal` has returned is `SIG_IGN`.
    private static func isIgnoring(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
        // Safe: the bits of two optional pointers are compared; SIG_IGN is not one to call.
        unsafe unsafeBitCast(handler, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
    }

    /// Unblocks signals: the process inherits blocked ones from its parent, for example from a thread of a dispatch
    /// queue.
    private static func unblock(_ numbers: [Int32]) {
        var signals = sigset_t()
        _ = unsafe sigemptyset(&signals)
        for number in numbers { _ = unsafe sigaddset(&signals, number) }
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Removes the incomplete file, says what is kept, and ends the process.
    private static func handle(_ number: Int32) -> Never {
        unsafe cleanup?()
        var message = unsafe plainMessage
        if let path = unsafe pathToRemove {
            _ = unsafe unlink(path)
            unsafe message = unsafe removedMessage ?? message
        } else if unsafe isResumable {
            unsafe message = unsafe keptMessage ?? message
        }
        if let message = unsafe message { _ = unsafe write(2, message, strlen(message)) }
        end(by: number)
    }

    /// Ends the process by a signal, so that its parent sees the signal and not an exit code.
    private static func end(by number: Int32) -> Never {
        _ = signal(number, SIG_DFL)
        var signals = sigset_t()
        _ = unsafe sigemptyset(&signals)
        _ = unsafe sigaddset(&signals, number)
        // A handler runs with its signal blocked.
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        _ = kill(getpid(), number)
        _exit(128 + number)
    }

    private static func copy(of outcome: String) -> UnsafeMutablePointer<CChar>? {
        unsafe strdup("\(beginning)\(outcome)\n")
    }

    // MARK: The output file

    /// Sets the file to remove when the tool is interrupted; nil for none.
    package static func setFileToRemove(_ path: String?) {
        // A run has one output file. Its path is copied once and never freed, because a handler may be reading it.
        if let path, unsafe copiedPath == nil { unsafe copiedPath = unsafe strdup(path.systemPath) }
        unsafe pathToRemove = path == nil ? nil : unsafe copiedPath
    }

    /// Sets what an interrupted run says about its output file: if it is kept, and if it is removed.
    package static func setOutcomes(kept: String, removed: String) {
        unsafe keptMessage = copy(of: kept)
        unsafe removedMessage = copy(of: removed)
    }

    /// Sets whether an interrupted run can be resumed.
    package static func setIsResumable(_ isResumable: Bool) {
        unsafe self.isResumable = isResumable
    }

    // MARK: The terminal

    /// Sets what is done before a signal ends or stops the process; nil for nothing.
    ///
    /// The function may only make async-signal-safe calls.
    static func setCleanup(_ function: (@convention(c) () -> Void)?) {
        unsafe cleanup = function
        let former = function == nil ? signal(SIGTSTP, SIG_DFL) : signal(SIGTSTP) { _ in TerminalMode.stop() }
        // A signal that the parent has made the process ignore stays ignored.
        if isIgnoring(former) { _ = signal(SIGTSTP, SIG_IGN) }
        unblock([SIGTSTP])
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

    /// Stops deferring signals, and ends the process by the pending one, if any.
    package static func exitIfPending() {
        endDeferring()
        if isPending { handle(unsafe pendingSignal) }
    }

    /// Stops deferring signals; a pending one arrived too late and is ignored.
    package static func endDeferring() {
        unsafe isDeferring = false
    }
}
