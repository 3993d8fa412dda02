/// What one thread needs while it verifies, kept from receipt to receipt.
struct Workspace: ~Copyable {
    var digest: SHA256State
    var payload = ReusableBytes()
    var signature = ReusableBytes()

    init() throws(CryptoFault) {
        digest = try SHA256State()
    }
}
