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
        set.remove(999)
        #expect(!set.contains(999))
    }
}
