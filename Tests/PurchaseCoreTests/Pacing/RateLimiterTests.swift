import PurchaseCore
import ReceiptTypes
import Testing
import TimerSupport

@Suite("Rate limits", .timeLimit(.minutes(15)))
struct RateLimiterTests {
    /// Counts a call, and returns the milliseconds to wait if it was refused.
    private func wait(_ limiter: RateLimiter) -> Int64? {
        do throws(RateLimitError) {
            try limiter.countCall()
            return nil
        } catch {
            return error.retryAfterMilliseconds ?? -1
        }
    }

    @Test("[OTP-9.6] a call over the limit is refused with the time after which it is allowed, to the millisecond")
    func limit() {
        let device = SimulatedDevice()
        let limiter = RateLimiter(
            RateLimit(count: 2, perMilliseconds: 1_000), environment: PurchaseEnvironment(uptime: device.uptime))
        #expect(wait(limiter) == nil)
        device.pass(400)
        #expect(wait(limiter) == nil)
        #expect(wait(limiter) == 600)
        device.pass(599)
        #expect(wait(limiter) == 1, "refused calls do not count")
        device.pass(1)
        #expect(wait(limiter) == nil)
        #expect(wait(limiter) == 400)
    }

    @Test("[OTP-9.6] setting the device's clock neither allows a call earlier nor refuses it longer")
    func clock() {
        let device = SimulatedDevice()
        let limiter = RateLimiter(
            RateLimit(count: 1, perMilliseconds: 1_000), environment: PurchaseEnvironment(uptime: device.uptime))
        #expect(wait(limiter) == nil)
        for offset in [Sample.day, -Sample.day, 400 * Sample.day] {
            device.setClock(aheadBy: offset)
            #expect(wait(limiter) == 1_000)
        }
        device.pass(1_000)
        #expect(wait(limiter) == nil)
    }

    @Test("a limit of zero allows no call and names no time")
    func zero() {
        for limit in [RateLimit(count: 0, perMilliseconds: 1), RateLimit(count: -5, perMilliseconds: 0)] {
            let error = #expect(throws: RateLimitError.self) { try RateLimiter(limit).countCall() }
            #expect(error?.code == .notAllowed)
            #expect(error?.retryAfterMilliseconds == nil)
        }
    }

    @Test("limits and times at the ends of their ranges neither trap nor need unbounded memory")
    func extremes() {
        let huge = RateLimit(count: .max, perMilliseconds: .max)
        #expect(huge.count == RateLimit.maximumCount)
        let device = SimulatedDevice()
        let limiter = RateLimiter(huge, environment: PurchaseEnvironment(uptime: device.uptime))
        for _ in 0..<RateLimit.maximumCount { #expect(wait(limiter) == nil) }
        #expect(wait(limiter) == .max)
        device.pass(.max)
        #expect(wait(limiter) == nil)

        let free = RateLimiter(
            RateLimit(count: 1, perMilliseconds: -1), environment: PurchaseEnvironment(uptime: { .test(0) }))
        for _ in 0..<3 { #expect(wait(free) == nil) }
        let broken = RateLimiter(
            RateLimit(count: 1, perMilliseconds: 10), environment: PurchaseEnvironment(uptime: { .test(.min) }))
        #expect(wait(broken) == nil)
        #expect(wait(broken) == 10)
    }

    @Test("[OTP-9.6] of many calls at once exactly as many are allowed as the limit has")
    func concurrent() async {
        let limiter = RateLimiter(
            RateLimit(count: 7, perMilliseconds: 1_000), environment: PurchaseEnvironment(uptime: { .test(5) }))
        let allowed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 { group.addTask { (try? limiter.countCall()) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(allowed == 7)
    }

    @Test("the device's uptime does not go back")
    func uptime() {
        var last: Int64 = 0
        for _ in 0..<1_000 {
            let now = DeviceUptime.milliseconds()
            #expect(now >= last)
            last = now
        }
        #expect(last > 0)
    }
}
