/// The identity of a file: two paths or descriptors with one identity lead to one file.
///
/// No other file has it as long as this one exists or is open.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    /// The number of the file on its device.
    package let number: UInt64

    /// Creates an identity from the fields `st_dev` and `st_ino` of `stat`, whose types depend on the system.
    package init(device: some BinaryInteger, number: some BinaryInteger) {
        self.device = UInt64(truncatingIfNeeded: device)
        self.number = UInt64(truncatingIfNeeded: number)
    }
}
