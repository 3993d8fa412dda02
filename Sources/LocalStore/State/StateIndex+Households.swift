internal import ReceiptTypes
internal import ReceiptVerification

extension StateIndex {
    /// Returns the name of an account without characters that separate words and lines.
    static func key(_ name: String) -> String { Base64.url.encode([UInt8](name.utf8)) }

    /// Returns the keys of the accounts in groups, the households: everything that a command for an account can look at
    /// or change belongs to its group.
    static func groups(of state: SimulatorState) -> [[String]] {
        let keys = state.accounts.map { key($0.name) }
        let places = Dictionary(zip(keys, keys.indices), uniquingKeysWith: { first, _ in first })
        var parents = Array(keys.indices)
        func root(_ place: Int) -> Int {
            var place = place
            while parents[place] != place { place = parents[place] }
            return place
        }
        func join(_ left: Int, _ right: Int) {
            let (left, right) = (root(left), root(right))
            parents[max(left, right)] = min(left, right)
        }
        var families: [String: Int] = [:]
        for (place, account) in state.accounts.enumerated() {
            guard let family = account.family else { continue }
            join(place, families[key(family), default: place])
            families[key(family)] = root(place)
        }
        for share in state.transactions {
            guard let source = share.sharedFrom, let owner = state.index(of: source) else { continue }
            let accounts = [share.account, state.transactions[owner].account].compactMap { places[key($0)] }
            if accounts.count == 2 { join(accounts[0], accounts[1]) }
        }
        for share in state.subscriptions {
            guard let source = share.sharedFrom, let owner = state.subscriptionIndex(original: source) else { continue }
            let accounts = [share.account, state.subscriptions[owner].account].compactMap { places[key($0)] }
            if accounts.count == 2 { join(accounts[0], accounts[1]) }
        }
        return Dictionary(grouping: keys.indices, by: root).sorted { $0.key < $1.key }.map { $0.value.map { keys[$0] } }
    }
}
