import CommandLineInterface
import Testing

@Suite("Progress lines")
struct ProgressLineTests {
    private static var line: ProgressLine {
        var line = ProgressLine(name: "tool", count: 123_456, noun: "receipts")
        line.share = 0.4299
        line.rate = 30_000
        line.secondsLeft = 65
        line.remark = "12 not verified"
        return line
    }

    @Test("a line has share, count, rate, time left and remark, and what is unknown is left out")
    func parts() {
        #expect(
            Self.line.text(width: 200)
                == "tool: 42 %, 123,456 receipts, 30,000 per second, 1 min 5 s left, 12 not verified")
        #expect(ProgressLine(name: "tool", count: 1, noun: "lines").text(width: 80) == "tool: 1 lines")
        var line = Self.line
        line.secondsLeft = 3 * 3600 + 120
        line.share = 1.5
        #expect(line.text(width: 200).contains("100 %, "))
        #expect(line.text(width: 200).contains(", 3 h 2 min left, "))
        line.secondsLeft = 59
        #expect(line.text(width: 200).contains(", 59 s left, "))
    }

    @Test("a line is never wider than the terminal, and loses what matters least first")
    func narrowTerminals() {
        var previous = ""
        for width in 0...90 {
            let text = Self.line.text(width: width)
            #expect(text.count <= width)
            #expect(text.count >= previous.count)
            previous = text
        }
        #expect(Self.line.text(width: 76).hasPrefix("42 %, 123,456 receipts, 30,000 per second, "))
        #expect(Self.line.text(width: 60) == "42 %, 123,456 receipts, 1 min 5 s left, 12 not verified")
        #expect(Self.line.text(width: 40) == "42 %, 123,456 receipts, 12 not verified")
        #expect(Self.line.text(width: 25) == "42 %, 123,456 receipts")
        #expect(Self.line.text(width: 6) == "42 %")
        #expect(Self.line.text(width: 3) == "42 ")
    }
}
