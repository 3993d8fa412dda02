import ReceiptTypes
import Testing

@testable import PurchaseCore

/// Checks the texts that customers see for errors.
@Suite("Texts of errors for customers")
struct UserMessageTests {
    /// The phrases that say that nothing was charged, by language.
    private static let promises = ["en": "charge", "ja": "請求", "zh-Hans": "扣款"]

    /// Words that blame the customer, or that only a developer understands.
    private static let avoided = [
        "en": ["fault", "you failed", "invalid", "illegal", "wrong", "error", "signature", "ledger", "fraud", "hack"],
        "ja": ["あなた", "不正", "間違", "エラー", "署名", "違反"],
        "zh-Hans": ["错误", "非法", "不正", "违规", "签名", "欺诈", "您的"],
    ]

    @Test("[OTP-2.5] [OTP-8.2] every error has a text and an advice in English, Japanese and Chinese")
    func everyError() throws {
        for error in try PurchaseErrorTests.allErrors() {
            let converted = PurchaseError(error)
            var texts: Set<String> = []
            for language in MessageCatalog.standardLanguages {
                for key in [converted.messageKey, converted.messageKey.next] {
                    let text = MessageCatalog.standard.texts[key.rawValue]?[language]
                    #expect(text?.isEmpty == false, "\(error): \(key) in \(language)")
                }
                let message = converted.userMessage(languages: [language])
                #expect(!message.text.isEmpty && !message.advice.isEmpty)
                texts.insert(message.text)
            }
            #expect(texts.count == 3, "a text was copied from another language: \(converted.messageKey)")
        }
    }

    @Test("every text has its three languages with the same placeholders, and each language in its script")
    func languages() {
        let catalog = MessageCatalog.standard
        #expect(catalog.findings(languages: MessageCatalog.standardLanguages).isEmpty)
        #expect(catalog.texts.count > 40)
        for (key, texts) in catalog.texts {
            #expect(Set(texts.keys) == Set(MessageCatalog.standardLanguages), "\(key)")
            #expect(texts["en"]?.unicodeScalars.allSatisfy(\.isASCII) == true, "\(key)")
            let isKana = { (scalar: Unicode.Scalar) in (0x3040...0x30FF).contains(scalar.value) }
            #expect(texts["ja"]?.unicodeScalars.contains(where: isKana) == true, "\(key)")
            #expect(texts["zh-Hans"]?.unicodeScalars.contains(where: isKana) == false, "\(key)")
            let isHan = { (scalar: Unicode.Scalar) in (0x4E00...0x9FFF).contains(scalar.value) }
            #expect(texts["zh-Hans"]?.unicodeScalars.contains(where: isHan) == true, "\(key)")
        }
    }

    @Test("no text blames the customer or needs a developer")
    func tone() {
        for (key, texts) in MessageCatalog.standard.texts {
            for (language, words) in Self.avoided {
                let text = texts[language]?.lowercased() ?? ""
                for word in words { #expect(!text.contains(word), "\(key): \(text)") }
            }
        }
    }

    @Test("a text says that nothing was charged only for codes that prove it, and in all languages or none")
    func promises() {
        let rows =
            Array(ErrorTable.store.values) + Array(ErrorTable.flow.values) + Array(ErrorTable.ledger.values)
            + Array(ErrorTable.verification.values) + [ErrorTable.unknown]
        let certain = Dictionary(grouping: rows, by: \.message).mapValues { $0.allSatisfy(\.isChargeRuledOut) }
        var promised = 0
        for (key, texts) in MessageCatalog.standard.texts {
            let says = Set(Self.promises.map { language, phrase in texts[language]?.contains(phrase) ?? false })
            #expect(says.count == 1, "\(key)")
            guard says == [true] else { continue }
            promised += 1
            #expect(certain[MessageKey(rawValue: key)] == true, "\(key) promises what is not known")
        }
        #expect(promised >= 8)
    }

    @Test("a charge is ruled out for no code after which the customer can have paid")
    func chargeable() {
        let store = ErrorTable.store.filter { $0.value.isChargeRuledOut }.keys
        #expect(store.allSatisfy { ![.network, .timedOut, .system, .unknown].contains($0) })
        let flow = ErrorTable.flow.filter { $0.value.isChargeRuledOut }.keys
        let open: [PurchaseFlowError.Code] = [
            .storeKitError, .purchaseInProgress, .differentProduct, .unverified, .revoked, .conflict, .notRecorded,
            .unknown,
        ]
        #expect(flow.allSatisfy { !open.contains($0) })
        #expect(ErrorTable.verification.values.allSatisfy { !$0.isChargeRuledOut })
    }

    @Test("a rate limit tells the seconds, rounded up, and another error its own advice")
    func seconds() {
        let refused = RateLimitError(.exceeded, "", retryAfterMilliseconds: 4_001)
        for error in [refused as any Error, PurchaseFlowError(.rateLimited, "", underlying: refused)] {
            let error = PurchaseError(error)
            #expect(error.retryAfterMilliseconds == 4_001)
            #expect(error.isRetryable)
            #expect(error.userMessage(languages: ["en"]).advice == "Try again in 5 s.")
            #expect(error.userMessage(languages: ["ja"]).advice.hasPrefix("5 秒後"))
        }
        let never = PurchaseError(RateLimitError(.notAllowed, ""))
        #expect(never.userMessage(languages: ["en"]).advice == "Wait a moment, then try again.")
    }

    @Test("an app's catalog replaces texts and adds languages, and the standard one fills its gaps")
    func ownCatalog() {
        let german = MessageCatalog(["error.network": ["de": "Der Store ist nicht erreichbar."]])
        let error = PurchaseError(StoreError(.network, ""))
        #expect(
            error.userMessage(languages: ["ja"], catalog: german).text == error.userMessage(languages: ["ja"]).text,
            "a catalog without the customer's language does not hide the package's text")
        let merged = error.userMessage(languages: ["de-AT"], catalog: MessageCatalog.standard.merging(german))
        #expect(merged.text == "Der Store ist nicht erreichbar.")
        #expect(merged.advice == "Check the internet connection, then try again.")
        let only = error.userMessage(languages: ["ja"], catalog: MessageCatalog([:]))
        #expect(only == error.userMessage(languages: ["ja"]))
    }
}
