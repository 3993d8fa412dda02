internal import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The name of a file of ``PrivateFolder`` until it is complete: `.NAME.PID.NUMBER.tmp`.
///
/// The name is in use as long as the value lives. A process that is killed leaves the file, and its number in the name
/// then belongs to no process, or to one that does not use the name: in a container, each process of an app can have
/// the same number.
struct TemporaryName: ~Copyable {
    let text: String

    /// The names that this process uses.
    private static let used = Locked<Set<String>>([])

    /// Makes a name for a file that is to get the name `target`.
    init(for target: String) {
        let text = ".\(target).\(getpid()).\(UInt32.random(in: .min ... .max)).tmp"
        self.text = text
        Self.used.withLock { _ = $0.insert(text) }
    }

    deinit {
        let text = text
        Self.used.withLock { _ = $0.remove(text) }
    }

    /// Returns the name that a file was to get, given its temporary name; nil if the name has another form, or if a
    /// process uses it.
    static func target(ofAbandoned text: String) -> String? {
        var parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 5, parts.first == "", parts.last == "tmp" else { return nil }
        parts.removeLast()
        guard let number = parts.popLast().flatMap({ UInt32($0) }),
            let process = parts.popLast().flatMap({ pid_t($0) }), process > 0
        else { return nil }
        let target = parts.dropFirst().joined(separator: ".")
        guard !target.isEmpty, text == ".\(target).\(process).\(number).tmp" else { return nil }
        let isInUse = process == getpid() ? used.withLock { $0.contains(text) } : isRunning(process)
        return isInUse ? nil : target
    }

    private static func isRunning(_ process: pid_t) -> Bool { kill(process, 0) == 0 || errno != ESRCH }
}
