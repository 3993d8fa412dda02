// Written by hand, because the names of calls are keys in the file, which needs newer systems otherwise.
extension StoreSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case locale, storefront, timeRate, isAskToBuyEnabled, isInterruptingPurchases, isFailingRenewals
        case isGracePeriodEnabled, isWithoutDialogs, simulatedErrors
    }

    /// Reads settings that were written.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        locale = try container.decode(String.self, forKey: .locale)
        storefront = try container.decode(String.self, forKey: .storefront)
        timeRate = try container.decode(TimeRate.self, forKey: .timeRate)
        isAskToBuyEnabled = try container.decode(Bool.self, forKey: .isAskToBuyEnabled)
        isInterruptingPurchases = try container.decode(Bool.self, forKey: .isInterruptingPurchases)
        isFailingRenewals = try container.decode(Bool.self, forKey: .isFailingRenewals)
        isGracePeriodEnabled = try container.decode(Bool.self, forKey: .isGracePeriodEnabled)
        isWithoutDialogs = try container.decode(Bool.self, forKey: .isWithoutDialogs)
        for (name, error) in try container.decode([String: String].self, forKey: .simulatedErrors) {
            guard let call = SimulatedCall(rawValue: name) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .simulatedErrors, in: container, debugDescription: "unknown call")
            }
            simulatedErrors[call] = error
        }
    }

    /// Writes the settings.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(locale, forKey: .locale)
        try container.encode(storefront, forKey: .storefront)
        try container.encode(timeRate, forKey: .timeRate)
        try container.encode(isAskToBuyEnabled, forKey: .isAskToBuyEnabled)
        try container.encode(isInterruptingPurchases, forKey: .isInterruptingPurchases)
        try container.encode(isFailingRenewals, forKey: .isFailingRenewals)
        try container.encode(isGracePeriodEnabled, forKey: .isGracePeriodEnabled)
        try container.encode(isWithoutDialogs, forKey: .isWithoutDialogs)
        var errors: [String: String] = [:]
        for (call, error) in simulatedErrors { errors[call.rawValue] = error }
        try container.encode(errors, forKey: .simulatedErrors)
    }
}
