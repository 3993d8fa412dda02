#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Something came out that must not. libFuzzer sees the process stop, keeps the input and says where it lies.
func stop(_ what: String) -> Never {
    say("\n== finding: \(what)")
    abort()
}

/// Writes a line to standard error, without a buffer that would go down with the process.
func say(_ text: String) {
    let bytes = [UInt8]((text + "\n").utf8)
    _ = write(2, bytes, bytes.count)
}

/// States what must hold after an input.
func require(_ condition: Bool, _ what: @autoclosure () -> String) {
    if !condition { stop(what()) }
}

/// States that two ways to one result agree.
func requireEqual<Value: Equatable>(_ left: Value, _ right: Value, _ what: @autoclosure () -> String) {
    if left != right { stop("\(what())\n   one way:   \(left)\n   the other: \(right)") }
}

/// The value; stops where there is none, which is a flaw of the target itself.
func must<Value>(_ value: Value?, _ what: @autoclosure () -> String) -> Value {
    guard let value else { stop("the fuzz target is broken: \(what())") }
    return value
}
