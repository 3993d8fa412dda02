#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `Tools/explore` starts this program; its exit code is 0 if nothing was found but the planted faults, 1 if something
/// else was found or too little was explored, 2 after a mistake in the command line.
@main
enum Main {
    static func main() async {
        let options: Options
        do throws(Options.Mistake) {
            options = try Options([String](CommandLine.arguments.dropFirst()))
        } catch {
            say(error.message)
            say("hint: Tools/explore --help")
            exit(2)
        }
        exit(await run(options) ? 0 : 1)
    }

    private static func run(_ options: Options) async -> Bool {
        switch options.task {
        case .list:
            for scenario in Scenario.all { print(Result.line(scenario.name, scenario.summary)) }
            for fault in Fault.allCases { print(Result.line(fault.rawValue, fault.summary)) }
            return true
        case .scenario(let name):
            let scenarios = Scenario.all.filter { $0.name == name }
            return await finish(
                scenarios.map { scenario in
                    var scenario = scenario
                    scenario.budgets.merge(options.budgets) { $1 }
                    return { [scenario] in .exploring(scenario, upTo: options.states) }
                })
        case .fault(let fault): return await finish([{ .finding(fault, printsTrace: true) }])
        case .everything:
            var jobs: [Job] = []
            for (index, scenario) in Scenario.all.enumerated() where options.isLong || !scenario.isLong {
                jobs.append { .exploring(scenario, demanding: index == 0 ? options.states : nil) }
            }
            for fault in Fault.allCases where options.isLong || !fault.isLong {
                jobs.append { .finding(fault, printsTrace: false) }
            }
            return await finish(jobs)
        }
    }

    private typealias Job = @Sendable () -> Result

    /// Runs jobs, two at a time, and prints the results in their order; returns whether all are as they must be.
    private static func finish(_ jobs: [Job]) async -> Bool {
        await withTaskGroup(of: (Int, Result).self) { group in
            var isFine = true
            var next = 0
            var printed = 0
            var results: [Int: Result] = [:]
            func begin() {
                guard next < jobs.count else { return }
                let (index, job) = (next, jobs[next])
                next += 1
                group.addTask { (index, job()) }
            }
            begin()
            begin()
            for await (index, result) in group {
                results[index] = result
                begin()
                while let result = results.removeValue(forKey: printed) {
                    print(result.text)
                    fflush(nil)
                    isFine = isFine && result.isFine
                    printed += 1
                }
            }
            return isFine
        }
    }

    private static func say(_ text: String) {
        let bytes = [UInt8]("explore: \(text)\n".utf8)
        _ = unsafe write(2, bytes, bytes.count)
    }
}

/// The result of an exploration, to be printed.
private struct Result {
    let text: String
    let isFine: Bool

    static func line(_ name: String, _ text: String) -> String {
        name + String(repeating: " ", count: max(1, 28 - name.count)) + text
    }

    /// Explores a scenario completely, or up to a number of states.
    ///
    /// - Parameter demand: The number of states that the scenario must have, at which its exploration stops.
    static func exploring(_ scenario: Scenario, upTo limit: Int = .max, demanding demand: Int? = nil) -> Result {
        var search = Search(scenario, nil, limit: demand ?? limit)
        var lines = [line(scenario.name, search.summary)]
        if search.finding != nil { lines.append(search.findingText) }
        let count = search.exploration.table.count
        let isEnough = search.finding != nil || count >= demand ?? 0
        if !isEnough { lines.append(line(scenario.name, "ended with \(count) states; \(demand ?? 0) were asked for")) }
        return Result(text: lines.joined(separator: "\n"), isFine: search.finding == nil && isEnough)
    }

    /// Looks for a planted fault.
    static func finding(_ fault: Fault, printsTrace: Bool) -> Result {
        var search = Search(fault.scenario, fault, limit: .max)
        guard let finding = search.finding else {
            return Result(text: line(fault.rawValue, "NOT FOUND: \(search.summary)"), isFine: false)
        }
        var text = line(
            fault.rawValue, "found after \(search.traceLength) steps in \(search.seconds): \(finding.invariant)")
        if printsTrace { text += "\n" + search.findingText }
        return Result(text: text, isFine: true)
    }
}
