/// A number with a comma between groups of three digits.
package struct GroupedNumber: CustomStringConvertible {
    package let description: String

    package init(_ number: Int) {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index % 3 == 0, digit.isNumber { text.append(",") }
            text.append(digit)
        }
        description = String(text.reversed())
    }
}
