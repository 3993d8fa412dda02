import Foundation
import ReceiptTypes
import Testing
import TranscriptSupport

@testable import ReceiptVerification

private let compiler = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .flatMap { ["\($0)/cc", "\($0)/clang"] }.first(where: FileManager.default.isExecutableFile)
private let canBuildProvider =
    compiler != nil && FileManager.default.fileExists(atPath: "/usr/include/openssl/core_dispatch.h")

/// Runs the commands on a system that forbids signatures with SHA-1: OpenSSL's configuration loads a provider whose
/// SHA-1 cannot be used, so OpenSSL itself rejects each such signature.
@Suite("A system that forbids SHA-1", .enabled(if: canBuildProvider, "no C compiler, or no headers of OpenSSL 3"))
struct ForbiddenHashTests {
    private let runner: TranscriptRunner

    init() throws {
        runner = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
        try Self.provider.write(to: runner.folder.appending(path: "refusing.c"), atomically: true, encoding: .utf8)
        try Self.configuration(module: runner.folder.appending(path: "refusing.so").path())
            .write(to: runner.folder.appending(path: "refusing.cnf"), atomically: true, encoding: .utf8)
        let built = try runner.run("\(compiler ?? "cc") -shared -fPIC -o refusing.so refusing.c -lcrypto")
        try #require(built.code == 0, "\(built.errorOutput)")
    }

    @Test("a receipt or a purchase signed with SHA-1 is undecided, and not rejected; the other ones are verified")
    func verdicts() throws {
        let mint = "verify-receipt mint --authority authority -k app-receipt -q --form"
        #expect(try runner.run("\(mint) sha1 > old.b64 && \(mint) sha256 > new.b64").code == 0)
        let root = "--root authority/app-receipt-root.der"
        #expect(try runner.run("verify-receipt verify old.b64 new.b64 -q \(root)").code == 0)
        for command in ["verify --json", "explain --json", "batch"] {
            #expect(try result("\(command) old.b64 \(root)", code: 3)["code"]?.text == "hash-forbidden", "\(command)")
            #expect(try result("\(command) new.b64 \(root)", code: 0)["verdict"]?.text == "verified", "\(command)")
        }
        #expect(try result("legacy-response old.b64 \(root)", code: 3)["status"] == .integer(21009))
        #expect(try result("legacy-response new.b64 \(root)", code: 0)["status"] == .integer(0))
        let play = "samples/play-purchase.json --play-key com.example.app=samples/play-key.txt"
        #expect(try result("verify --json \(play)", code: 3)["code"]?.text == "hash-forbidden")
        let jws = try result("verify --json samples/transaction.jws --root samples/root.der", code: 0)
        #expect(jws["verdict"]?.text == "verified")
    }

    /// Runs a command with the provider; returns the first object that it prints.
    private func result(_ command: String, code: Int32) throws -> JSONObject {
        let run = try runner.run("OPENSSL_CONF=refusing.cnf verify-receipt \(command) -q")
        #expect(run.code == code, "\(command): \(run.errorOutput)")
        return try #require(JSONDocument.value(of: [UInt8]((run.output.first ?? "").utf8)).object)
    }

    // MARK: Provider

    private static func configuration(module: String) -> String {
        """
        openssl_conf = start
        [start]
        providers = providers
        alg_section = properties
        [providers]
        default = active
        refusing = refusing
        [active]
        activate = 1
        [refusing]
        module = \(module)
        activate = 1
        [properties]
        default_properties = ?provider=refusing
        """
    }

    /// A provider (provider(7)) with a SHA-1 that cannot be initialized, and nothing else.
    private static let provider = """
        #include <openssl/core_dispatch.h>
        #include <openssl/core_names.h>
        #include <openssl/params.h>

        static void *new_context(void *provider) { return provider; }
        static void free_context(void *context) { (void)context; }
        static int refuse(void *context, const OSSL_PARAM *params) { return 0; }
        static int update(void *context, const unsigned char *in, size_t count) { return 0; }
        static int finish(void *context, unsigned char *out, size_t *count, size_t size) { return 0; }
        static int get_params(OSSL_PARAM *params) {
            OSSL_PARAM *size = OSSL_PARAM_locate(params, OSSL_DIGEST_PARAM_SIZE);
            OSSL_PARAM *block = OSSL_PARAM_locate(params, OSSL_DIGEST_PARAM_BLOCK_SIZE);
            return (!size || OSSL_PARAM_set_size_t(size, 20)) && (!block || OSSL_PARAM_set_size_t(block, 64));
        }

        #define FUNCTION(id, function) {id, (void (*)(void))function}
        static const OSSL_DISPATCH sha1[] = {
            FUNCTION(OSSL_FUNC_DIGEST_NEWCTX, new_context), FUNCTION(OSSL_FUNC_DIGEST_FREECTX, free_context),
            FUNCTION(OSSL_FUNC_DIGEST_INIT, refuse), FUNCTION(OSSL_FUNC_DIGEST_UPDATE, update),
            FUNCTION(OSSL_FUNC_DIGEST_FINAL, finish), FUNCTION(OSSL_FUNC_DIGEST_GET_PARAMS, get_params), {0, NULL},
        };
        static const OSSL_ALGORITHM digests[] = {
            {"SHA1:SHA-1", "provider=refusing", sha1, NULL}, {NULL, NULL, NULL, NULL},
        };
        static const OSSL_ALGORITHM *query(void *provider, int operation, int *no_cache) {
            *no_cache = 0;
            return operation == OSSL_OP_DIGEST ? digests : NULL;
        }
        static const OSSL_DISPATCH functions[] = {FUNCTION(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query), {0, NULL}};

        int OSSL_provider_init(
            const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out, void **context
        ) {
            *out = functions;
            *context = (void *)handle;
            return 1;
        }
        """
}
