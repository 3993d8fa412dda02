#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Leaves no half-written file behind when the tool is stopped.
enum Interruption {
    // Safe: written before the handlers that read it are installed or while they find nil, always by the main thread; a
    // pointer is written at once on every platform there is, and the memory behind it is never freed.
    nonisolated(unsafe) private static var unfinishedPath: UnsafeMutablePointer<CChar>?

    /// Makes SIGINT and SIGTERM end the tool with 128 and the signal's number, and a closed pipe an error to handle.
    static func install() {
        _ = signal(SIGPIPE, SIG_IGN)
        for number in [SIGINT, SIGTERM] {
            // Safe: unlink and _exit may be called in a signal handler (POSIX 2.4.3).
            _ = signal(number) { number in
                if let path = unsafe Interruption.unfinishedPath { _ = unsafe unlink(path) }
                _exit(128 + number)
            }
        }
    }

    /// Names the file to remove when the tool is stopped; nil when there is none any more.
    static func setUnfinished(_ path: String?) {
        unsafe unfinishedPath = path.flatMap { unsafe strdup($0) }
    }
}
