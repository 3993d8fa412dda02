/// Distinct strings with consecutive numbers, for work that uses each of very many strings more than once.
///
/// A string is hashed once, to get its number, and an array is indexed by the number afterwards.
struct NumberedStrings {
    private var numbers: [ExactString: Int] = [:]
    /// The strings in the order of their numbers.
    private(set) var strings: [String] = []

    /// Returns the number of a string, which is the next one for a new string.
    mutating func number(of string: String) -> Int {
        let key = ExactString(string)
        if let number = numbers[key] { return number }
        let number = strings.count
        numbers[key] = number
        strings.append(string)
        return number
    }
}
