/// Base64 in which all letters have the same case, because a program has compared or stored it without regard to case.
enum LostCase {
    static let name = "base64 in which all letters have the same case"
    static let hint =
        "base64 needs both cases of letters, and one of them is lost: take the receipt from where it has both"

    /// The fewest letters that are compared: a shorter text can have letters of one case by chance.
    private static let minimumLetters = 24

    /// Returns whether a text has letters, and all of them have the same case.
    static func isEvident(in text: some Sequence<UInt8>) -> Bool {
        var (upper, lower) = (0, 0)
        for byte in text {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): upper += 1
            case UInt8(ascii: "a")...UInt8(ascii: "z"): lower += 1
            default: continue
            }
            if upper > 0, lower > 0 { return false }
        }
        return upper + lower >= minimumLetters
    }
}
