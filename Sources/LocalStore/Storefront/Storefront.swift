/// A country or region that has its own App Store.
public struct Storefront: Sendable, Hashable, Identifiable {
    /// The ISO 3166-1 alpha-3 code, such as `USA`.
    public let code: String
    /// The App Store's number for the storefront, such as `143441`.
    public let id: String
    /// The currency that customers are charged in.
    public let currency: Currency

    /// Creates a storefront.
    public init(code: String, id: String, currency: Currency) {
        self.code = code
        self.id = id
        self.currency = currency
    }

    /// Returns the known storefront with a code, compared byte by byte; nil for an unknown code.
    public init?(code: String) {
        guard let storefront = Self.known.first(where: { $0.code.utf8.elementsEqual(code.utf8) }) else { return nil }
        self = storefront
    }
}

extension Storefront {
    /// The storefront of the United States.
    public static let unitedStates = Storefront(code: "USA", id: "143441", currency: .usDollar)

    /// The storefronts of the App Store in the order of their numbers.
    public static let known: [Storefront] = rows.map { code, number, currency in
        Storefront(code: code, id: "143\(number)", currency: Currency.named(currency) ?? .usDollar)
    }

    /// The code, the number without its common prefix 143, and the currency.
    private static let rows: [(code: String, number: Int, currency: String)] = [
        ("USA", 441, "USD"), ("FRA", 442, "EUR"), ("DEU", 443, "EUR"), ("GBR", 444, "GBP"), ("AUT", 445, "EUR"),
        ("BEL", 446, "EUR"), ("FIN", 447, "EUR"), ("GRC", 448, "EUR"), ("IRL", 449, "EUR"), ("ITA", 450, "EUR"),
        ("LUX", 451, "EUR"), ("NLD", 452, "EUR"), ("PRT", 453, "EUR"), ("ESP", 454, "EUR"), ("CAN", 455, "CAD"),
        ("SWE", 456, "SEK"), ("NOR", 457, "NOK"), ("DNK", 458, "DKK"), ("CHE", 459, "CHF"), ("AUS", 460, "AUD"),
        ("NZL", 461, "NZD"), ("JPN", 462, "JPY"), ("HKG", 463, "HKD"), ("SGP", 464, "SGD"), ("CHN", 465, "CNY"),
        ("KOR", 466, "KRW"), ("IND", 467, "INR"), ("MEX", 468, "MXN"), ("RUS", 469, "RUB"), ("TWN", 470, "TWD"),
        ("VNM", 471, "VND"), ("ZAF", 472, "ZAR"), ("MYS", 473, "MYR"), ("PHL", 474, "PHP"), ("THA", 475, "THB"),
        ("IDN", 476, "IDR"), ("PAK", 477, "PKR"), ("POL", 478, "PLN"), ("SAU", 479, "SAR"), ("TUR", 480, "TRY"),
        ("ARE", 481, "AED"), ("HUN", 482, "HUF"), ("CHL", 483, "CLP"), ("NPL", 484, "USD"), ("PAN", 485, "USD"),
        ("LKA", 486, "USD"), ("ROU", 487, "RON"), ("MDV", 488, "USD"), ("CZE", 489, "CZK"), ("ISR", 491, "ILS"),
        ("UKR", 492, "USD"), ("KWT", 493, "USD"), ("HRV", 494, "EUR"), ("CRI", 495, "USD"), ("SVK", 496, "EUR"),
        ("LBN", 497, "USD"), ("QAT", 498, "QAR"), ("SVN", 499, "EUR"), ("SRB", 500, "USD"), ("COL", 501, "COP"),
        ("VEN", 502, "USD"), ("BRA", 503, "BRL"), ("GTM", 504, "USD"), ("ARG", 505, "USD"), ("SLV", 506, "USD"),
        ("PER", 507, "PEN"), ("DOM", 508, "USD"), ("ECU", 509, "USD"), ("HND", 510, "USD"), ("JAM", 511, "USD"),
        ("NIC", 512, "USD"), ("PRY", 513, "USD"), ("URY", 514, "USD"), ("MAC", 515, "USD"), ("EGY", 516, "EGP"),
        ("KAZ", 517, "KZT"), ("EST", 518, "EUR"), ("LVA", 519, "EUR"), ("LTU", 520, "EUR"), ("MLT", 521, "EUR"),
        ("MDA", 523, "USD"), ("ARM", 524, "USD"), ("BWA", 525, "USD"), ("BGR", 526, "EUR"), ("CIV", 527, "USD"),
        ("JOR", 528, "USD"), ("KEN", 529, "USD"), ("MKD", 530, "USD"), ("MDG", 531, "USD"), ("MLI", 532, "USD"),
        ("MUS", 533, "USD"), ("NER", 534, "USD"), ("SEN", 535, "USD"), ("TUN", 536, "USD"), ("UGA", 537, "USD"),
        ("AIA", 538, "USD"), ("BHS", 539, "USD"), ("ATG", 540, "USD"), ("BRB", 541, "USD"), ("BMU", 542, "USD"),
        ("VGB", 543, "USD"), ("CYM", 544, "USD"), ("DMA", 545, "USD"), ("GRD", 546, "USD"), ("MSR", 547, "USD"),
        ("KNA", 548, "USD"), ("LCA", 549, "USD"), ("VCT", 550, "USD"), ("TTO", 551, "USD"), ("TCA", 552, "USD"),
        ("GUY", 553, "USD"), ("SUR", 554, "USD"), ("BLZ", 555, "USD"), ("BOL", 556, "USD"), ("CYP", 557, "EUR"),
        ("ISL", 558, "USD"), ("BHR", 559, "USD"), ("BRN", 560, "USD"), ("NGA", 561, "NGN"), ("OMN", 562, "USD"),
        ("DZA", 563, "USD"), ("AGO", 564, "USD"), ("BLR", 565, "USD"), ("UZB", 566, "USD"), ("LBY", 567, "USD"),
        ("AZE", 568, "USD"), ("MMR", 570, "USD"), ("YEM", 571, "USD"), ("TZA", 572, "TZS"), ("GHA", 573, "USD"),
        ("CMR", 574, "USD"), ("ALB", 575, "USD"), ("BEN", 576, "USD"), ("BTN", 577, "USD"), ("BFA", 578, "USD"),
        ("KHM", 579, "USD"), ("CPV", 580, "USD"), ("TCD", 581, "USD"), ("COG", 582, "USD"), ("FJI", 583, "USD"),
        ("GMB", 584, "USD"), ("GNB", 585, "USD"), ("KGZ", 586, "USD"), ("LAO", 587, "USD"), ("LBR", 588, "USD"),
        ("MWI", 589, "USD"), ("MRT", 590, "USD"), ("FSM", 591, "USD"), ("MNG", 592, "USD"), ("MOZ", 593, "USD"),
        ("NAM", 594, "USD"), ("PLW", 595, "USD"), ("PNG", 597, "USD"), ("STP", 598, "USD"), ("SYC", 599, "USD"),
        ("SLE", 600, "USD"), ("SLB", 601, "USD"), ("SWZ", 602, "USD"), ("TJK", 603, "USD"), ("TKM", 604, "USD"),
        ("ZWE", 605, "USD"), ("NRU", 606, "USD"), ("TON", 608, "USD"), ("VUT", 609, "USD"), ("AFG", 610, "USD"),
        ("BIH", 612, "USD"), ("COD", 613, "USD"), ("GAB", 614, "USD"), ("GEO", 615, "USD"), ("IRQ", 617, "USD"),
        ("MNE", 619, "USD"), ("MAR", 620, "USD"), ("RWA", 621, "USD"), ("ZMB", 622, "USD"), ("XKS", 624, "USD"),
    ]
}
