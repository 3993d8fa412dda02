internal import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A temporary file with mode 0600 and without a name, which only this process can read.
///
/// The name is removed right after the file is created, so the system frees the space when the process ends, however it
/// ends.
struct SpillFile: ~Copyable {
    /// The path that errors name: that of the folder.
    private let path: String
    private let descriptor: FileDescriptor
    /// The number of bytes in the file.
    private(set) var count = 0

    /// Creates a file in a folder.
    init(in folder: String) throws(FileError) {
        let name = "\(folder)/.\(getpid())-\(UInt64.random(in: .min ... .max)).tmp"
        // A signal that ends the process between both calls would leave the name behind.
        var (all, former) = (sigset_t(), sigset_t())
        _ = unsafe sigfillset(&all)
        _ = unsafe pthread_sigmask(SIG_SETMASK, &all, &former)
        let descriptor = FileDescriptor(unsafe open(name.systemPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
        let failure = errno
        if descriptor.isOpen { _ = unsafe unlink(name.systemPath) }
        _ = unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
        guard descriptor.isOpen else { throw Self.error(folder, failure) }
        self.init(descriptor: descriptor, path: folder)
    }

    /// Takes an open file.
    init(descriptor: consuming FileDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Appends bytes to the file.
    mutating func append(_ bytes: [UInt8]) throws(FileError) {
        if let failure = PrivateFile.writeAll(bytes, to: descriptor.number) {
            throw Self.error(path, failure)
        }
        count += bytes.count
    }

    /// Replaces the content of a buffer by the bytes at an offset, at most `maximumCount`.
    func read(at offset: Int, atMost maximumCount: Int, into buffer: inout [UInt8]) throws(FileError) {
        var failure: Int32?
        let number = descriptor.number
        buffer.removeAll(keepingCapacity: true)
        buffer.append(addingCapacity: maximumCount) { span in
            // Safe: the call initializes as many bytes as it returns, at most the capacity of the span.
            unsafe span.withUnsafeMutableBufferPointer { target, initialized in
                while initialized < target.count {
                    let rest = unsafe UnsafeMutableBufferPointer(rebasing: target[initialized...])
                    let count = unsafe pread(number, rest.baseAddress, rest.count, off_t(offset + initialized))
                    if count < 0, errno == EINTR { continue }
                    if count < 0 { failure = errno }
                    guard count > 0 else { return }
                    initialized += count
                }
            }
        }
        if let failure { throw FileError(code: .unreadable, path: path, systemError: failure) }
    }

    /// The error for bytes that are not those that were written.
    var damage: FileError { FileError(code: .unreadable, path: path) }

    private static func error(_ path: String, _ number: Int32) -> FileError {
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(number)
        return FileError(code: isFull ? .noSpace : .unwritable, path: path, systemError: number)
    }
}
