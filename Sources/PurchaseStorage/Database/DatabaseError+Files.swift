import PurchaseCore
internal import ReceiptVerification

extension DatabaseError {
    /// Runs `body`, and throws an error of a file as one of the database, with a code.
    static func converting<Value>(
        as code: Code = .notOpened, _ body: () throws(FileError) -> Value
    ) throws(DatabaseError) -> Value {
        do throws(FileError) {
            return try body()
        } catch {
            throw DatabaseError(code, error.message, underlying: error)
        }
    }
}
