package import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension FileIdentity {
    /// Returns the identity of the file at a path, without following a link; nil if there is none.
    package init?(path: String) {
        var status = stat()
        guard unsafe lstat(path.systemPath, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Returns the identity of the file of a descriptor; nil if it is not open.
    package init?(descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        self.init(device: status.st_dev, number: status.st_ino)
    }
}
