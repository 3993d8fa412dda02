internal import CFuzzCurve

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

// libFuzzer defines `main` and calls the two functions below. It ignores arguments that begin with two hyphens, so
// these choose the target.

/// The chosen target. Written once before the first input; libFuzzer runs all inputs on the same thread.
private nonisolated(unsafe) var target: (any FuzzTarget)?

/// Chooses the target named by `--target=NAME`. `--list` prints the targets and `--write-seeds=FOLDER` writes their
/// seeds; both exit the process.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
    let texts = (0..<Int(count.pointee)).compactMap { arguments.pointee[$0].map { String(cString: $0) } }
    if texts.contains("--list") {
        for type in TargetList.all { print(type.name, type.maximumLength, type.summary, separator: "\t") }
        exit(0)
    }
    if let folder = value(of: "--write-seeds=", in: texts) {
        do {
            try SeedFolder.write(to: folder)
            exit(0)
        } catch {
            stop("the seeds cannot be written: \(error)")
        }
    }
    let name = value(of: "--target=", in: texts) ?? ""
    guard let type = TargetList.all.first(where: { $0.name == name }) else {
        say("unknown fuzz target \"\(name)\"; --list prints the targets")
        exit(2)
    }
    do { target = try type.init() } catch { stop("the fuzz target is broken: \(error)") }
    // A finished thread may still be exiting when the process exits, and its memory would be reported as a leak.
    atexit { usleep(100_000) }
    // A finding in a seed shows that the target itself is broken, so the seeds run first.
    for seed in target?.seeds ?? [] { runOnce(seed.bytes) }
    return 0
}

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    runOnce([UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
}

private func runOnce(_ input: [UInt8]) {
    do { try target?.run(input) } catch { stop("thrown: \(error)") }
    require(fz_error_queue_was_empty(), "OpenSSL's error queue is not empty")
}

private func value(of flag: String, in texts: [String]) -> String? {
    texts.first { $0.hasPrefix(flag) }.map { String($0.dropFirst(flag.count)) }
}
