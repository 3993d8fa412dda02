import Foundation

/// Elapsed time, and the processor time of the same work.
struct Elapsed {
    var seconds: Double
    /// Stays the same when other work on the machine makes `seconds` longer.
    var processorSeconds: Double

    static let zero = Elapsed(seconds: 0, processorSeconds: 0)

    /// The time since the start of the system, and the processor time of all threads of this process.
    static var now: Elapsed {
        Elapsed(seconds: seconds(of: CLOCK_MONOTONIC), processorSeconds: seconds(of: CLOCK_PROCESS_CPUTIME_ID))
    }

    /// Returns the time that some work takes, and the processor time of all threads of this process meanwhile.
    static func measure(_ work: () throws -> Void) rethrows -> Elapsed {
        let start = now
        try work()
        return now - start
    }

    static func mean(_ first: Elapsed, _ second: Elapsed) -> Elapsed { (first + second) * 0.5 }

    static func + (first: Elapsed, second: Elapsed) -> Elapsed {
        Elapsed(
            seconds: first.seconds + second.seconds,
            processorSeconds: first.processorSeconds + second.processorSeconds
        )
    }

    static func - (end: Elapsed, start: Elapsed) -> Elapsed { end + start * -1 }

    static func * (time: Elapsed, factor: Double) -> Elapsed {
        Elapsed(seconds: time.seconds * factor, processorSeconds: time.processorSeconds * factor)
    }

    private static func seconds(of clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
