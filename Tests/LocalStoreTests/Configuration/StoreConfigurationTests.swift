import LocalStore
import ReceiptTypes
import Testing

struct StoreConfigurationTests {
    @Test("a product is found by its identifier, compared byte by byte")
    func findsProduct() {
        let product = ConfiguredProduct(id: "com.example.caf\u{e9}", type: .nonConsumable, price: Milliunits(990))
        let configuration = StoreConfiguration(products: [product])
        #expect(configuration.product("com.example.caf\u{e9}") == product)
        #expect(configuration.product("com.example.cafe\u{301}") == nil)
    }

    @Test("no description of a configuration contains the private offers key")
    func keepsOffersKeySecret() {
        let key = OffersKey(id: "ABCD", privateKey: "c2VjcmV0")
        #expect(!"\(StoreConfiguration(offersKey: key))".contains("c2VjcmV0"))
        #expect(!String(reflecting: key).contains("c2VjcmV0"))
    }
}
