import Foundation
import LocalStore
import PurchaseCore
import ReceiptTypes

/// The store simulator's command-line tool, measured as a process over histories of different lengths.
struct StoreCases {
    let rounds: Int
    /// The path of `local-store`.
    let tool: String
    /// A folder for temporary files, which is removed after the case.
    let folder: URL

    private static let product = "com.example.app.coins"
    private static let subscription = "com.example.app.pro"
    private static let customers = 200
    private static let configuration = """
        {
          "identifier" : "B0",
          "products" : [
            {
              "displayPrice" : "0.99", "familyShareable" : false, "internalID" : "1", "localizations" : [],
              "productID" : "\(product)", "referenceName" : "Coins", "type" : "Consumable"
            }
          ],
          "settings" : {},
          "subscriptionGroups" : [
            {
              "id" : "2", "localizations" : [], "name" : "Pro",
              "subscriptions" : [
                {
                  "adHocOffers" : [], "codeOffers" : [], "displayPrice" : "4.99", "familyShareable" : false,
                  "groupNumber" : 1, "internalID" : "3", "introductoryOffer" : null, "localizations" : [],
                  "productID" : "\(subscription)", "recurringSubscriptionPeriod" : "P1M", "referenceName" : "Pro",
                  "subscriptionGroupID" : "2", "type" : "RecurringSubscription"
                }
              ]
            }
          ],
          "version" : { "major" : 4, "minor" : 0 }
        }
        """

    // MARK: Commands

    /// A command whose time must not grow with the history.
    private enum Command: String, CaseIterable {
        case buy, refund, finish, advance
    }

    /// Measures commands after 20,000 transactions of many customers, and of one, against the same after 20.
    func commands() throws -> [Figure] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var short = try MeasuredStore(self, "short", customers: 1, transactions: 20)
        var long = try [
            MeasuredStore(self, "many", customers: Self.customers, transactions: 20_000),
            MeasuredStore(self, "one", customers: 1, transactions: 20_000),
        ]
        var ratios: [[Command: [Ratio]]] = [[:], [:]]
        // Each run takes milliseconds, so more rounds are needed.
        for _ in 0..<rounds * 6 {
            let before = try short.times()
            let times = try long.indices.map { try long[$0].times() }
            let after = try short.times()
            for (index, time) in times.enumerated() {
                for command in Command.allCases {
                    guard let time = time[command], let before = before[command], let after = after[command] else {
                        continue
                    }
                    let reference = Elapsed.mean(before, after)
                    ratios[index][command, default: []].append(
                        Ratio(
                            time.seconds / reference.seconds,
                            byProcessor: time.processorSeconds / reference.processorSeconds))
                }
            }
        }
        return Command.allCases.flatMap { command in
            [
                Figure(
                    "store-\(command)-many",
                    "local-store \(command) after 20000 transactions of \(Self.customers) customers against 20",
                    ratios[0][command] ?? [], better: .lower),
                Figure(
                    "store-\(command)-one", "the same with 20000 transactions of one customer",
                    ratios[1][command] ?? [], better: .lower),
            ]
        }
    }

    /// A store with a history, in which each command is run again and again.
    private struct MeasuredStore {
        private let tool: String
        private let path: String
        private let account: String
        /// The transactions to refund and finish, in turn.
        private let ids: [String]
        private var step = 0

        init(_ cases: StoreCases, _ name: String, customers: Int, transactions: Int) throws {
            (tool, path) = (cases.tool, cases.folder.appending(path: name).path())
            let file = cases.folder.appending(path: "\(name).storekit")
            try Data(StoreCases.configuration.utf8).write(to: file)
            _ = try Program(words: [
                tool, "init", file.path(), "--store", path, "--start", "2024-01-01T00:00:00Z", "-q",
            ])
            .time()
            guard let state = try StateFile.read("\(path)/state.sqlite") else { throw Failure("\(path) has no state") }
            let configuration = try StoreConfiguration.read([UInt8](StoreCases.configuration.utf8)).configuration
            var engine = SimulatorEngine(configuration: configuration, state: state)
            var names = state.accounts.map(\.name)
            for number in 1..<max(1, customers) {
                names.append("customer \(number)")
                try engine.addAccount("customer \(number)")
            }
            for name in names {
                _ = try engine.buy(StoreCases.subscription, for: name)
                // Each subscription renews at another time, so an event is one renewal.
                try engine.advance(byMilliseconds: 3_600_000)
            }
            while engine.state.transactions.count < transactions {
                for name in names.prefix(transactions - engine.state.transactions.count) {
                    _ = try engine.buy(StoreCases.product, for: name)
                }
            }
            for transaction in engine.state.transactions { engine.finish(transaction.id) }
            try StateFile.write(engine.state, to: "\(path)/state.sqlite")
            account = names[0]
            let sold = engine.state.transactions.filter { $0.productID == StoreCases.product }.map(\.id)
            ids = stride(from: 0, to: sold.count, by: max(1, sold.count / 200)).map { sold[$0] }
            // The first command after a replacement of the file reads all of it.
            _ = try run(["buy", StoreCases.product, "--account", account])
        }

        /// Runs each command once.
        mutating func times() throws -> [Command: Elapsed] {
            let id = ids[step % ids.count]
            // After all of them were refunded, the refunds are reversed. Either makes a transaction unfinished again.
            let isReversal = !(step / ids.count).isMultiple(of: 2)
            step += 1
            return [
                .buy: try run(["buy", StoreCases.product, "--account", account]),
                .refund: try run(["refund", id] + (isReversal ? ["--reverse"] : [])),
                .finish: try run(["finish", id]),
                .advance: try run(["advance", "next"]),
            ]
        }

        private func run(_ words: [String]) throws -> Elapsed {
            try Program(words: [tool] + words + ["--store", path, "--quiet"]).time()
        }
    }

    // MARK: Simulation

    /// Measures whether a simulated customer takes longer among many others.
    func simulation() throws -> [Figure] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "simulation.storekit")
        try Data(Self.configuration.utf8).write(to: file)
        func time(_ customers: Int) throws -> Elapsed {
            let path = folder.appending(path: "simulation").path()
            defer { try? FileManager.default.removeItem(atPath: path) }
            _ = try Program(words: [tool, "init", file.path(), "--store", path, "--seed", "7", "-q"]).time()
            return try Program(words: [tool, "simulate", "--customers", "\(customers)", "--store", path]).time()
        }
        let (few, many) = (25, 100)
        let ratios = try (0..<rounds).map { _ in
            let before = try time(few)
            let times = try time(many)
            let reference = Elapsed.mean(before, try time(few)) * (Double(many) / Double(few))
            return Ratio(
                times.seconds / reference.seconds, byProcessor: times.processorSeconds / reference.processorSeconds)
        }
        return [
            Figure(
                "store-simulate", "local-store simulate: a customer among \(many) against one among \(few)", ratios,
                better: .lower)
        ]
    }
}
