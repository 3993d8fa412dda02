#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Reads a terminal without the limit for a line.
///
/// In its usual mode, a terminal passes on complete lines and drops what exceeds 4,095 bytes of one; a receipt is
/// longer. For the time of the reading it passes on each byte. Its mode is restored before a signal ends or stops the
/// process.
enum TerminalMode {
    // Safe: only the main thread writes these pointers, before the handlers that read them are installed, and after
    // they are removed. The memory is never freed.
    nonisolated(unsafe) private static var usualMode: UnsafeMutablePointer<termios>?
    nonisolated(unsafe) private static var byteMode: UnsafeMutablePointer<termios>?

    /// Calls `body` while standard input passes on each byte, with the characters that end the input and erase a byte;
    /// without them if standard input is no terminal.
    static func withBytes<Result, Failure: Error>(
        _ body: (_ end: UInt8?, _ erase: UInt8?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var mode = termios()
        guard unsafe tcgetattr(0, &mode) == 0 else { return try body(nil, nil) }
        unsafe store(mode, in: &usualMode)
        let end = control(VEOF, of: mode)
        let erase = control(VERASE, of: mode)
        mode.c_lflag &= ~tcflag_t(ICANON)
        // A read returns as soon as there is a byte, and waits for it without a limit.
        setControl(VMIN, of: &mode, to: 1)
        setControl(VTIME, of: &mode, to: 0)
        unsafe store(mode, in: &byteMode)
        Interruption.setCleanup { TerminalMode.restore() }
        defer {
            restore()
            Interruption.setCleanup(nil)
        }
        unsafe apply(byteMode)
        return try body(end, erase)
    }

    /// Restores the usual mode; safe to call in a signal handler (POSIX 2.4.3 lists `tcsetattr`).
    private static func restore() { unsafe apply(usualMode) }

    private static func apply(_ mode: UnsafeMutablePointer<termios>?) {
        guard let mode = unsafe mode else { return }
        _ = unsafe tcsetattr(0, TCSANOW, mode)
    }

    private static func store(_ mode: termios, in pointer: inout UnsafeMutablePointer<termios>?) {
        let memory = unsafe pointer ?? UnsafeMutablePointer<termios>.allocate(capacity: 1)
        unsafe memory.initialize(to: mode)
        unsafe pointer = unsafe memory
    }

    // MARK: Stopping

    /// Stops the process with the usual mode, as Control-Z does, and returns to the mode of the reading when it
    /// continues.
    static func stop() {
        restore()
        _ = kill(getpid(), SIGSTOP)
        unsafe apply(byteMode)
    }

    // MARK: Control characters

    private static func control(_ index: Int32, of mode: termios) -> UInt8 {
        // Safe: the system's indices are within the array.
        var mode = mode
        return unsafe withUnsafeBytes(of: &mode.c_cc) { unsafe $0[Int(index)] }
    }

    private static func setControl(_ index: Int32, of mode: inout termios, to value: UInt8) {
        // Safe: as above.
        unsafe withUnsafeMutableBytes(of: &mode.c_cc) { unsafe $0[Int(index)] = value }
    }
}
