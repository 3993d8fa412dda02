#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The owner of a file descriptor, which it closes at the end of its life.
struct FileDescriptor: ~Copyable {
    let number: Int32

    /// Takes the result of a system call; a negative number means that the call failed.
    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        guard isOpen else { return }
        // `errno` of the call that failed must survive the close.
        let error = errno
        _ = close(number)
        errno = error
    }

    var isOpen: Bool { number >= 0 }
}
