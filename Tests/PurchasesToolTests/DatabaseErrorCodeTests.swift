import CommandLineInterface
import PurchaseCore
import Testing

@testable import purchases

@Suite("Exit codes of purchases for errors of the database")
struct DatabaseErrorCodeTests {
    @Test("A foreign journal and a foreign log have the exit code 4 and say how to set them aside")
    func foreignFiles() {
        for code in DatabaseErrorCode.all {
            let error = OpenedData.usageError(DatabaseError(code, "m"))
            let isForeign = [.foreignJournal, .foreignLog].contains(code)
            #expect(error.code == (isForeign ? .foreign : .unusable), "\(code)")
            #expect((error.hint?.description.contains("sets it aside") == true) == isForeign, "\(code)")
        }
    }
}
