import Foundation
import Paywall
import Testing

@Suite("Offers")
struct OfferTests {
    @Test("an offer is written as JSON under the names of its members and read again [PWF-3]")
    func coding() throws {
        let plan = Plan(id: "weekly_9_99", displayPrice: "$9.99", period: "week", isBestValue: true)
        let offer = Offer(
            id: .b, layoutVariant: "cards", plans: [plan], defaultPlanID: plan.id, personalPromiseKey: "focus")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let json = try encoder.encode(offer)
        #expect(
            String(decoding: json, as: UTF8.self) == """
                {"defaultPlanID":"weekly_9_99","id":"B","layoutVariant":"cards","personalPromiseKey":"focus",\
                "plans":[{"displayPrice":"$9.99","id":"weekly_9_99","isBestValue":true,"period":"week"}]}
                """)
        #expect(try JSONDecoder().decode(Offer.self, from: json) == offer)
    }
}
