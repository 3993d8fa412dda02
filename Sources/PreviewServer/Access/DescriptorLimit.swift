#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The number of descriptors that the system gives to the process, of which connections leave some for files.
///
/// Without a descriptor left, the pages that have connections get no answer, because a purchase needs files.
enum DescriptorLimit {
    /// The descriptors that are not for connections.
    static let reserve = 128
    /// The number of connections that a server has at the least.
    private static let fewest = 8

    /// Returns how many connections a server can have, at most a number; raises the limit of the process if it may.
    static func connections(upTo wanted: Int) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(descriptors, &limit) == 0 else { return min(wanted, fewest) }
        let needed = rlim_t(clamping: wanted + reserve)
        if limit.rlim_cur < needed {
            var raised = limit
            raised.rlim_cur = min(needed, limit.rlim_max)
            if unsafe setrlimit(descriptors, &raised) == 0 { limit = raised }
        }
        return connections(upTo: wanted, descriptors: Int(clamping: limit.rlim_cur))
    }

    /// Returns how many connections a server can have with a number of descriptors.
    static func connections(upTo wanted: Int, descriptors: Int) -> Int {
        min(wanted, max(fewest, descriptors - reserve))
    }

    #if canImport(Darwin)
        private static var descriptors: Int32 { RLIMIT_NOFILE }
    #else
        private static var descriptors: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #endif
}
