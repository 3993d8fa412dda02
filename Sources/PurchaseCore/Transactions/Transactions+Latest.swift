extension [Transaction] {
    /// The latest text about each purchase, in the order in which they stand here.
    func latestVersions() -> [Transaction] { latestIndices().map { self[$0] } }

    /// The indices of the latest text about each purchase, in rising order.
    ///
    /// Indices, because a transaction is large and a projection goes through very many.
    func latestIndices() -> [Int] {
        var holders: [PurchaseKey: Int] = [:]
        holders.reserveCapacity(count)
        var isLatest = [Bool](repeating: false, count: count)
        for index in indices {
            settle(index, &holders[self[index].purchaseKey, default: index], &isLatest)
        }
        return indices.filter { isLatest[$0] }
    }

    private func settle(_ index: Int, _ holder: inout Int, _ isLatest: inout [Bool]) {
        guard holder == index || self[index].isLater(than: self[holder]) else { return }
        isLatest[holder] = false
        isLatest[index] = true
        holder = index
    }
}
