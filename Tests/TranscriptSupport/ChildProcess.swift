package import Foundation

extension Process {
    /// Starts the process so that signals have their usual effect on it, and kills it if it still runs after a time.
    ///
    /// A test that was itself started by nohup, or in the background of a script, would otherwise pass on that signals
    /// are ignored; and no test waits for a process that hangs.
    ///
    /// - Parameter seconds: The time in seconds of the system's clock.
    package func runWithUsualSignals(killAfter seconds: Int = 120) throws {
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { signal(number, SIG_DFL) }
        try run()
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
            if let self, isRunning { kill(processIdentifier, SIGKILL) }
        }
    }
}
