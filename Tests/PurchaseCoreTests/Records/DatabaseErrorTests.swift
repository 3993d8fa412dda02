import PurchaseCore
import ReceiptTypes
import Testing

@Suite("Errors of a purchase database")
struct DatabaseErrorTests {
    @Test("Every code has a name in kebab case and a hint of its own words", arguments: DatabaseError.Code.all)
    func codes(code: DatabaseError.Code) throws {
        #expect(code.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil)
        let hint = try #require(DatabaseError(code, "").hint)
        #expect(hint.count > 10 && hint.first?.isLowercase == true && !hint.hasSuffix("."))
    }

    @Test("A code of another version has no hint, and no two codes have the same name")
    func otherCodes() {
        #expect(DatabaseError(.init(rawValue: "of-a-later-version"), "").hint == nil)
        #expect(Set(DatabaseError.Code.all).count == DatabaseError.Code.all.count)
    }
}
