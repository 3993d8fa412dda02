#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The time zone by which the times of calendars and clocks become instants, from the system's tz database.
///
/// A civil time is written as the number of seconds that it would have since 1970 in UTC.
package struct CivilTimeZone: Sendable {
    /// The reason why a zone cannot be used.
    package enum Problem: Error {
        /// The database has no zone with the name; the names of similar zones are in its folder.
        case unknown(others: [String])
        /// The system has no database.
        case noDatabase
    }

    package static let utc = CivilTimeZone()
    package let name: String

    private init() { name = "UTC" }

    /// Selects a zone for this process; at most one can be used besides UTC.
    ///
    /// The process must have no other threads yet, because the C library takes the zone from the environment.
    package init(_ name: String) throws(Problem) {
        self.name = name
        guard name != Self.utc.name else { return }
        let folders = ([SystemCalls.environment("TZDIR")].compactMap(\.self) + Self.folders).filter(SystemCalls.exists)
        guard let folder = folders.first else { throw .noDatabase }
        let path = "\(folder)/\(name)"
        guard Self.isName(name), Self.isZone(path) else { throw .unknown(others: Self.names(near: name, in: folder)) }
        _ = unsafe setenv("TZ", ":\(path)", 1)
        tzset()
    }

    // MARK: Database

    private static let folders = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"]

    /// Returns whether a text can be the name of a zone; those with leap seconds are not the time of any clock.
    private static func isName(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.first != "right"
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_+-".contains($0)) }
            }
    }

    /// Returns whether a file is a zone: other files are in the folder too.
    private static func isZone(_ path: String) -> Bool {
        guard (try? SystemCalls.status(ofFileAt: path))?.kind == .regular,
            let descriptor = try? SystemCalls.openForReading(path)
        else { return false }
        defer { try? SystemCalls.close(descriptor) }
        return (try? SystemCalls.read(descriptor, atMost: 4)) == [UInt8]("TZif".utf8)
    }

    /// Returns the names in the folder in which a name would be.
    private static func names(near name: String, in folder: String) -> [String] {
        let prefix = isName(name) ? name.split(separator: "/").dropLast().map { "\($0)/" }.joined() : ""
        let names = (try? SystemCalls.names(inDirectory: "\(folder)/\(prefix)")) ?? []
        return names.map { prefix + $0 }.filter { isName($0) && isZone("\(folder)/\($0)") }.sorted()
    }

    // MARK: Instants

    /// Longer than the largest difference between a zone and UTC, in hours.
    private static let reach: Int64 = 26

    /// Returns the difference from UTC at an instant, in seconds, positive to the east.
    package func offset(at instant: Int64) -> Int64 {
        guard name != Self.utc.name, var time = time_t(exactly: instant) else { return 0 }
        // Safe: the call fills in the structure, whose pointer to a name is not used.
        var parts = unsafe tm()
        guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
        return unsafe Int64(parts.tm_gmtoff)
    }

    /// Returns the instants that a civil time stands for: none if clocks skip it, several if they repeat it.
    package func instants(of civil: Int64) -> [Int64] {
        let offsets = Set((-Self.reach...Self.reach).map { offset(at: civil + $0 * 3600) })
        return offsets.map { civil - $0 }.filter { $0 + offset(at: $0) == civil }.sorted()
    }

    /// Returns the first instant at which clocks show a civil time or a later one.
    package func firstInstant(notBefore civil: Int64) -> Int64 {
        if let first = instants(of: civil).first { return first }
        var (before, after) = (civil - Self.reach * 3600, civil + Self.reach * 3600)
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if middle + offset(at: middle) < civil { before = middle } else { after = middle }
        }
        return after
    }
}
