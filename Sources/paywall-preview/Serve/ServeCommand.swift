internal import CommandLineInterface
internal import LocalStore
internal import Paywall
internal import PreviewServer
internal import ReceiptTypes

/// `serve`: shows the shop until the tool is interrupted.
struct ServeCommand {
    let session: Session

    func run() async throws -> ExitCode {
        if let operand = session.arguments.operands.first {
            throw UsageError("unexpected argument \(Escaped(operand).quoted)", hint: "see paywall-preview --help")
        }
        let port = try port()
        var configuration = try configuration()
        let offers = session.arguments.value(of: .offers).map {
            OffersFile(path: $0, spelling: session.arguments.spelling(of: .offers))
        }
        let firstOffers = try offers.map { (offers) throws(UsageError) in try read(offers, of: configuration) }
        let language = session.arguments.value(of: .language)
        // Names and descriptions of the products, as far as the file has them in the language.
        if let language { configuration.settings.locale = language }
        let texts = ShopTexts(languages: [language ?? "en"])
        if let language, !texts.has(language) {
            session.messages.warn(
                "there are no texts in the language \(Escaped(language).quoted): they are in English",
                hint: "the languages are en, ja and zh-Hans")
        }
        // A signal is the usual end: then the server stops, the database is closed and a temporary folder removed.
        Interruption.beginDeferring()
        do {
            try await show(configuration, offers, firstOffers, texts, port)
        } catch {
            Interruption.exitIfPending()
            throw error
        }
        Interruption.endDeferring()
        return .success
    }

    /// Opens the shop, serves it until a signal arrives, and leaves no temporary folder.
    private func show(
        _ configuration: StoreConfiguration, _ offers: OffersFile?, _ firstOffers: RemoteConfig?, _ texts: ShopTexts,
        _ port: UInt16
    ) async throws {
        var generator = SystemRandomNumberGenerator()
        let folder = try PreviewFolder(
            session.arguments.value(of: .data), from: session.arguments.spelling(of: .data),
            temporaryFolder: Self.temporaryFolder, using: &generator)
        defer { folder.removeIfTemporary() }
        let feed = EventFeed()
        let shop = try await PreviewShop(
            configuration, offers: offers, firstOffers: firstOffers, texts: texts, in: folder, feed: feed)
        guard !Interruption.isPending else { return }
        await shop.start()
        do {
            try await serve(shop, feed, port, &generator)
        } catch {
            await shop.stop()
            throw error
        }
        await shop.stop()
    }

    private func serve(
        _ shop: PreviewShop, _ feed: EventFeed, _ port: UInt16, _ generator: inout some RandomNumberGenerator
    ) async throws {
        let server: PreviewServer
        do throws(PreviewServerError) {
            server = try PreviewServer(await ShopRoutes(shop).routes, port: port, using: &generator)
        } catch {
            throw UsageError(
                Escaped(error.message),
                hint: session.arguments.variable(of: .port).map { "choose another port with \($0)" }
                    ?? "choose another port with --port, or leave it out")
        }
        defer { server.stop() }
        feed.connect(to: server)
        if session.writesJSON {
            try session.writeLine(
                ["address": .string(server.address), "port": .integer(Int64(server.port))], as: .server)
        } else {
            try session.output.writeLine("\(server.address)")
        }
        // A file is complete now: a program that has started this one reads the address from it.
        try session.output.finish()
        session.messages.note("press Control-C to end")
        while !Interruption.isPending { try await Task.sleep(for: .milliseconds(50)) }
    }

    /// The folder for temporary files. An empty variable is one that is not set.
    private static var temporaryFolder: String {
        SystemCalls.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    }

    // MARK: Arguments

    private func port() throws(UsageError) -> UInt16 {
        guard let text = session.arguments.value(of: .port) else { return 0 }
        guard let port = UInt16(text) else {
            throw UsageError(
                "\(session.arguments.spelling(of: .port)) does not take \(Escaped(text).quoted)",
                hint: "it takes a number from 0 to 65535")
        }
        return port
    }

    /// The number of warnings about one file that help, after which the others are only counted.
    private static let warningLimit = 20

    /// Reads the configuration that is in force first, and warns about what has no effect in it.
    private func read(_ offers: OffersFile, of configuration: StoreConfiguration) throws(UsageError) -> RemoteConfig {
        let (config, problems) = try offers.first(products: configuration.products.map(\.id))
        let path = Escaped(offers.path)
        for problem in problems.prefix(Self.warningLimit) { session.messages.warn("\(path): \(Escaped(problem))") }
        if problems.count > Self.warningLimit {
            session.messages.warn("\(path): \(problems.count - Self.warningLimit) more")
        }
        return config
    }

    private func configuration() throws(UsageError) -> StoreConfiguration {
        let path = session.arguments.value(of: .storekit)
        let bytes = try path.map { (path) throws(UsageError) in
            try FileAccess.read(path, from: session.arguments.spelling(of: .storekit))
        }
        let reading: StoreConfigurationReading
        do throws(StoreConfigurationError) {
            reading = try StoreConfiguration.read(bytes ?? [UInt8](StoreConfiguration.sample.utf8))
        } catch {
            let name = Escaped(path ?? "the sample")
            throw UsageError(
                "\(name):\(Escaped(error.finding.description))", hint: "run local-store lint \(name)")
        }
        if let path, !reading.findings.isEmpty {
            session.messages.warn("\(Escaped(path)) has problems", hint: "run local-store lint \(Escaped(path))")
        }
        return reading.configuration
    }
}
