import Testing

@testable import PurchaseCore

@Suite("Sets of bounded size")
struct RecentSetTests {
    @Test("a set remembers its last elements and stays bounded, however many are inserted")
    func bounded() {
        var set = RecentSet<Int>(capacity: 10)
        for number in 0..<1_000 {
            let isNew = [set.insert(number), set.insert(number)]
            #expect(isNew == [true, false])
            #expect(set.contains(max(0, number - 9)) && set.count <= 20)
        }
        #expect(!set.contains(0))
        // The number is older than the last ten, so it is remembered from here on.
        let isNew = set.insert(985)
        #expect(!isNew)
        for number in 1_000..<1_009 { set.insert(number) }
        #expect(set.contains(985) && set.count <= 20)
        set.remove(999)
        #expect(!set.contains(999))
    }
}
