internal import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The error of a server that cannot start.
package struct PreviewServerError: CodedError {
    /// The reason of the error.
    package struct Code: ErrorCode {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Another program uses the port.
        package static let portInUse = Self(rawValue: "port-in-use")
        /// Only the administrator can use the port.
        package static let portForbidden = Self(rawValue: "port-forbidden")
        /// The system has no more sockets, threads or memory.
        package static let outOfResources = Self(rawValue: "out-of-resources")
    }

    package let code: Code
    package let message: String

    /// Creates the error for a port and a value of `errno`.
    init(port: UInt16, systemError: Int32) {
        switch systemError {
        case EADDRINUSE: (code, message) = (.portInUse, "another program uses port \(port)")
        case EACCES, EPERM: (code, message) = (.portForbidden, "this user cannot use port \(port)")
        default: (code, message) = (.outOfResources, "the server cannot start (error \(systemError) of the system)")
        }
    }
}
