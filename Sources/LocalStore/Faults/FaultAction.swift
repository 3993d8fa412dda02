/// What goes wrong.
public enum FaultAction: Codable, Sendable, Hashable {
    /// The call ends with an error, by the stable name of its code, such as `network`; nothing else happens.
    case fail(code: String)
    /// The process ends here: everything that was not written is lost, and every later call fails.
    case crash
    /// The update is lost. An unfinished transaction comes again at the next launch.
    case drop
    /// The update comes so many times more.
    case duplicate(times: Int)
    /// The update comes only after so many later ones.
    case holdBack(updates: Int)
    /// The update comes only when the store's clock has gone so many milliseconds further.
    case delay(milliseconds: Int64)
    /// The text is signed under a root that nobody trusts.
    case signUnderUnknownRoot
    /// One bit of the signature is another.
    case flipBit
}
