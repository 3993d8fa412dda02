#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Reports a finding and aborts the process, so that libFuzzer keeps the input and prints its path.
func stop(_ what: String) -> Never {
    say("\n== finding: \(what)")
    abort()
}

/// Writes a line to standard error, unbuffered, so that it is not lost when the process aborts.
func say(_ text: String) {
    let bytes = [UInt8]((text + "\n").utf8)
    _ = write(2, bytes, bytes.count)
}

/// Reports a finding unless the condition is true.
func require(_ condition: Bool, _ what: @autoclosure () -> String) {
    if !condition { stop(what()) }
}

/// Reports a finding unless two ways to compute the same value agree.
func requireEqual<Value: Equatable>(_ left: Value, _ right: Value, _ what: @autoclosure () -> String) {
    if left != right { stop("\(what())\n   left:  \(left)\n   right: \(right)") }
}

/// Returns the value; reports a finding if it is nil, which is a bug in the target itself.
func must<Value>(_ value: Value?, _ what: @autoclosure () -> String) -> Value {
    guard let value else { stop("the fuzz target is broken: \(what())") }
    return value
}
