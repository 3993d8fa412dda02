import Foundation
import LoopbackClient
import Testing

/// The style sheet of the shop in both appearances of the device.
@Suite("The appearance of paywall-preview", .timeLimit(.minutes(15)))
struct AppearanceTests {
    /// A colour as the style sheet writes it, `#rrggbb`.
    private struct Colour: Equatable {
        let channels: [Double]

        init(_ digits: Substring) throws {
            let number = try #require(UInt32(digits, radix: 16))
            channels = [16, 8, 0].map { Double(number >> $0 & 0xff) / 255 }
        }

        /// The relative luminance of WCAG 2.2.
        private var luminance: Double {
            let linear = channels.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
            return zip(linear, [0.2126, 0.7152, 0.0722]).reduce(0) { $0 + $1.0 * $1.1 }
        }

        func contrast(to other: Colour) -> Double {
            let (light, dark) = (max(luminance, other.luminance), min(luminance, other.luminance))
            return (light + 0.05) / (dark + 0.05)
        }
    }

    private static func colours(in block: Substring) throws -> [String: Colour] {
        let properties = try block.matches(of: /--([a-z-]+): #([0-9a-f]{6})/).map {
            (String($0.1), try Colour($0.2))
        }
        return Dictionary(properties, uniquingKeysWith: { $1 })
    }

    private static func style() async throws -> String {
        try await offPool {
            let shop = try RunningShop(["--quiet"])
            defer { _ = shop.interrupt() }
            return try shop.request("GET", "/shop.css").body
        }
    }

    @Test("nothing moves on the device of a customer that wants reduced motion")
    func reducedMotion() async throws {
        let style = try await Self.style()
        let media = /@media \(prefers-reduced-motion: reduce\) \{((?:[^{}]*\{[^{}]*\})*)[^{}]*\}/
        let reduced = try #require(style.firstMatch(of: media))
        let moving = style.replacing(media, with: "").matches(
            of: /([^{};]+)\{[^{}]*(?:animation|transition|scroll-behavior)[^{}]*\}/
        ).map { $0.1.trimmingCharacters(in: .whitespacesAndNewlines) }
        #expect(moving == [".spinner"])
        for selector in moving { #expect(reduced.1.contains("\(selector) { animation: none;")) }
    }

    @Test("[OTP-5.6] the pages follow the device's light and dark appearance, and their texts are readable in both")
    func bothAppearances() async throws {
        let style = try await Self.style()
        #expect(style.contains("color-scheme: light dark"))
        // Colours outside of the palette would not follow the appearance.
        let palettes = style.split(separator: "@media (prefers-color-scheme: dark)", maxSplits: 1)
        let light = try Self.colours(in: try #require(palettes.first))
        let dark = try palettes.dropFirst().first.map(Self.colours) ?? [:]
        #expect(style.matches(of: /#[0-9a-f]{6}\b/).count == light.count + dark.count)
        #expect(Set(light.keys) == Set(dark.keys))
        for (name, colour) in light { #expect(dark[name] != colour, "\(name) is the same in both appearances") }
        for palette in [light, dark] {
            for (text, grounds) in [
                "text": ["page", "card", "tint"], "soft": ["page", "card"], "on-accent": ["accent"],
                "good": ["card", "good-tint"], "bad": ["card", "bad-tint"], "accent": ["page", "card"],
            ] {
                for ground in grounds {
                    let front = try #require(palette[text], "no palette has the colour \(text)")
                    let back = try #require(palette[ground], "no palette has the colour \(ground)")
                    #expect(front.contrast(to: back) >= 4.5, "\(text) on \(ground)")
                }
            }
        }
    }
}
