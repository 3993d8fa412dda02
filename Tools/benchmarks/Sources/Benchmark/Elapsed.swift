import Foundation

/// Elapsed time, and the processor time of the same work.
struct Elapsed {
    var seconds: Double
    /// Stays the same when other work on the machine makes `seconds` longer.
    var processorSeconds: Double

    /// Returns the time that some work takes, and the processor time of all threads of this process meanwhile.
    static func measure(_ work: () throws -> Void) rethrows -> Elapsed {
        let processor = processorTime()
        let duration = try ContinuousClock().measure { try work() }
        let (seconds, attoseconds) = duration.components
        return Elapsed(
            seconds: Double(seconds) + Double(attoseconds) / 1e18, processorSeconds: processorTime() - processor
        )
    }

    static func mean(_ first: Elapsed, _ second: Elapsed) -> Elapsed {
        Elapsed(
            seconds: (first.seconds + second.seconds) / 2,
            processorSeconds: (first.processorSeconds + second.processorSeconds) / 2
        )
    }

    static func * (time: Elapsed, factor: Double) -> Elapsed {
        Elapsed(seconds: time.seconds * factor, processorSeconds: time.processorSeconds * factor)
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
