import PurchaseCore
import PurchaseStorage
import ReceiptTypes
import Testing

@Suite("Errors of a sealed store")
struct SealedStoreErrorTests {
    @Test("every code has a name in kebab case and a hint of its own words", arguments: SealedStoreError.Code.all)
    func codes(code: SealedStoreError.Code) throws {
        #expect(code.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil)
        let hint = try #require(SealedStoreError(code, "").hint)
        #expect(hint.count > 10 && hint.first?.isLowercase == true && !hint.hasSuffix("."))
    }

    @Test("a code of another version has no hint, and no two codes have the same name")
    func otherCodes() {
        #expect(SealedStoreError(.init(rawValue: "of-a-later-version"), "").hint == nil)
        #expect(Set(SealedStoreError.Code.all).count == SealedStoreError.Code.all.count)
    }
}
