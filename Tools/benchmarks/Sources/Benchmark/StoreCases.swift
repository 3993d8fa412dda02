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

    /// Measures a purchase after 20,000 transactions of many customers, and of one, against a purchase after 20.
    func purchase() throws -> [Figure] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let short = try store("short", customers: 1, transactions: 20)
        let stores = try [
            store("many", customers: Self.customers, transactions: 20_000),
            store("one", customers: 1, transactions: 20_000),
        ]
        var ratios: [[Ratio]] = [[], []]
        // Each run takes milliseconds, so more rounds are needed.
        for _ in 0..<rounds * 10 {
            let before = try short.time()
            let long = try stores.map { try $0.time() }
            let reference = Elapsed.mean(before, try short.time())
            for (index, time) in long.enumerated() {
                ratios[index].append(
                    Ratio(
                        time.seconds / reference.seconds,
                        byProcessor: time.processorSeconds / reference.processorSeconds))
            }
        }
        return [
            Figure(
                "store-buy-many",
                "local-store buy after 20000 transactions of \(Self.customers) customers against 20", ratios[0],
                better: .lower),
            Figure("store-buy-one", "the same with 20000 transactions of one customer", ratios[1], better: .lower),
        ]
    }

    /// Creates a store, and returns the command for a purchase in it.
    private func store(_ name: String, customers: Int, transactions: Int) throws -> Program {
        let (file, path) = (folder.appending(path: "\(name).storekit"), folder.appending(path: name).path())
        try Data(Self.configuration.utf8).write(to: file)
        _ = try Program(words: [tool, "init", file.path(), "--store", path, "--start", "2024-01-01T00:00:00Z"]).time()
        guard let state = try StateFile.read("\(path)/state.json") else { throw Failure("\(path) has no state") }
        let configuration = try StoreConfiguration.read([UInt8](Self.configuration.utf8)).configuration
        var engine = SimulatorEngine(configuration: configuration, state: state)
        var names = state.accounts.map(\.name)
        for number in 1..<max(1, customers) {
            names.append("customer \(number)")
            try engine.addAccount("customer \(number)")
        }
        for name in names { _ = try engine.buy(Self.subscription, for: name) }
        while engine.state.transactions.count < transactions {
            for name in names.prefix(transactions - engine.state.transactions.count) {
                _ = try engine.buy(Self.product, for: name)
            }
        }
        try StateFile.write(engine.state, to: "\(path)/state.json")
        let purchase = Program(words: [tool, "buy", Self.product, "--store", path, "--account", names[0]])
        // The first purchase after a replacement of the file reads all of it.
        _ = try purchase.time()
        return purchase
    }
}
