/// What the command line asks for.
struct Options {
    enum Task: Equatable {
        /// Explores the scenarios, then each fault.
        case everything
        /// Explores one scenario without a fault.
        case scenario(String)
        /// Looks for one fault, and prints the trace to it.
        case fault(Fault)
        case list
    }

    var task = Task.everything
    /// The number of states that the first scenario must have, and at which its exploration stops.
    var states = 1_000_000
    /// Whether the long scenarios are explored too.
    var isLong = false

    /// The budgets that differ from those of the scenario.
    var budgets: [World.Budget: UInt32] = [:]

    /// A mistake in the command line.
    struct Mistake: Error {
        let message: String
    }

    init(_ arguments: [String]) throws(Mistake) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--list": task = .list
            case "--long":
                states = 10_000_000
                isLong = true
            case "--states":
                guard let value = rest.popFirst(), let count = Int(value), (1...1_000_000_000).contains(count) else {
                    throw Mistake(message: "--states needs a number of states")
                }
                states = count
            case "--scenario":
                guard let name = rest.popFirst(), Scenario.all.contains(where: { $0.name == name }) else {
                    throw Mistake(
                        message: "--scenario needs one of: \(Scenario.all.map(\.name).joined(separator: ", "))")
                }
                task = .scenario(name)
            case "--fault":
                guard let name = rest.popFirst(), let fault = Fault(rawValue: name) else {
                    throw Mistake(message: "--fault needs the name of a planted fault; --list prints them")
                }
                task = .fault(fault)
            case "--budget":
                let parts = rest.popFirst()?.split(separator: "=") ?? []
                guard parts.count == 2, let count = UInt32(parts[1]),
                    let budget = World.Budget.allCases.first(where: { "\($0)" == parts[0] }), count <= budget.maximum
                else { throw Mistake(message: "--budget needs a name and a small number, such as kills=1") }
                budgets[budget] = count
            default: throw Mistake(message: "unknown option \(argument)")
            }
        }
    }
}
