import SealiteTestSupport
import Testing

@testable import SealiteRevisions

@Suite("the clock of versions")
struct HybridClockTests {
    private static let second: UInt64 = 1_000_000_000
    private static let now: UInt64 = 0x18E9_F04B_267A_1234

    @Test("a time is the system's without its low bits, and counts up where that doesn't go forward")
    func counts() throws {
        var clock = HybridClock()
        let given = try [0, 1, 0xFFFF - 0x1234, 0x1_0000, 5].map { try clock.next(at: Self.now + $0).description }
        #expect(
            given == [
                "18e9f04b267a0000", "18e9f04b267a0001", "18e9f04b267a0002", "18e9f04b267b0000", "18e9f04b267b0001",
            ])
    }

    @Test("a time isn't less than one before when the system's clock is set back, or at zero")
    func neverBack() throws {
        var clock = HybridClock()
        var last = try clock.next(at: Self.now)
        for now in [Self.now - 3_600 * Self.second, 0, 1, Self.now - 1, UInt64.max >> 1, 0] {
            let next = try clock.next(at: now)
            #expect(next > last)
            last = next
        }
    }

    @Test("behind the last time there is none")
    func exhausted() throws {
        var clock = HybridClock(stored: HybridTime.latest.rawValue - 1)
        #expect(try clock.next(at: 0) == .latest)
        #expect(throws: VersionError.clockExhausted) { try clock.next(at: 0) }
        clock = HybridClock(stored: .max)
        #expect(throws: VersionError.clockExhausted) { try clock.next(at: Self.now) }
        clock = HybridClock()
        #expect(throws: VersionError.clockExhausted) { try clock.next(at: .max) }
    }

    @Test("times of peers are taken within two minutes, and those of a second at most advance the clock")
    func observed() throws {
        var clock = HybridClock()
        let (limit, own) = (HybridTime.tolerance, try clock.next(at: Self.now))
        let near = try #require(HybridTime(rawValue: Self.now + HybridClock.reach))
        try clock.observe(near, at: Self.now)
        #expect(try clock.next(at: Self.now).rawValue == near.rawValue + 1)
        let ahead = try #require(HybridTime(rawValue: Self.now + limit))
        for time in [ahead, try #require(HybridTime(rawValue: near.rawValue + 1))] {
            try clock.observe(time, at: Self.now)
        }
        #expect(try clock.next(at: Self.now).rawValue == near.rawValue + 2)
        let wrong: [(UInt64, VersionError)] = [
            (1, .implausibleTime), (0xFF_FFFF_FFFF, .implausibleTime), (Self.now + limit + 1, .aheadOfClock),
            (HybridTime.latest.rawValue, .aheadOfClock), (0x8000_0000_0000_0000, .implausibleTime),
            (.max, .implausibleTime),
        ]
        for (value, error) in wrong {
            let time = try #require(HybridTime(rawValue: value))
            #expect(throws: error) { try clock.observe(time, at: Self.now) }
        }
        #expect(own < ahead)
        // One wrong time among a vector's leaves the clock as it was; those of encoded revisions are none.
        let before = clock.last
        let future = HybridTime(rawValue: Self.now + 3 * limit)!
        #expect(throws: VersionError.aheadOfClock) {
            try clock.observe(vector("18e9f04b267c0000@a;\(future)@b"), at: Self.now)
        }
        try clock.observe(
            vector("18e9f04b267a0000@a").changed(to: .init(time: .earliest, source: .revisionTrees)), at: Self.now)
        #expect(clock.last == before)
    }

    @Test("a change of what is ahead of the clock is later than that, and nothing else is, in whichever process")
    func ahead() throws {
        var clock = HybridClock()
        let floor = try #require(HybridTime(rawValue: Self.now + 119 * Self.second))
        try clock.observe(floor, at: Self.now)
        #expect(try clock.next(after: floor, at: Self.now).rawValue == floor.rawValue + 1)
        #expect(try clock.next(after: floor, at: Self.now).rawValue == floor.rawValue + 2)
        #expect(try clock.next(at: Self.now).rawValue <= Self.now)
        let (value, again) = (clock.valueToStore(at: Self.now), clock.valueToStore(at: Self.now))
        let stored = try #require(value)
        #expect(stored.count == 24 && again == nil)
        // Another process knows them, and doesn't follow either.
        var other = HybridClock()
        let bound = stored.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        let isSound = other.resume(from: bound, ahead: stored.dropFirst(8))
        #expect(isSound && other.hasAheadTimes)
        #expect(try other.next(after: floor, at: Self.now).rawValue == floor.rawValue + 3)
        #expect(try other.next(at: Self.now).rawValue <= Self.now + HybridClock.lead + 1)
        // The clock passes over them when it gets there, and forgets them.
        let there = (floor.rawValue + 1) & ~0xFFFF
        let times = try (0..<4).map { try clock.next(at: there + $0 * 0x1_0000).rawValue }
        #expect(times == [there, there + 0x1_0000, there + 0x2_0000, there + 0x3_0000])
        #expect(!clock.hasAheadTimes)
        #expect(try clock.next(after: floor, at: there).rawValue == times[3] + 1)
        for damaged in [[0], [UInt8](repeating: 1, count: 8), [1] + [UInt8](repeating: 0, count: 15)] {
            let isSound = other.resume(from: bound, ahead: damaged[...])
            #expect(!isSound)
        }
    }

    @Test(
        "no time is issued twice, whatever is ahead of the clock, and each change is later than what it changes",
        arguments: TestSeed.seeds(6))
    func uniqueAhead(seed: UInt64) throws {
        var numbers = SeededRandom(seed: seed)
        var wall = Self.now
        var stored: [UInt8] = [UInt8](repeating: 0, count: 8)
        var clocks = [HybridClock(), HybridClock()]
        var (committed, late) = (Set<UInt64>(), UInt64(0))
        for _ in 0..<400 {
            let index = Int.random(in: 0..<2, using: &numbers)
            if Int.random(in: 0..<50, using: &numbers) == 0 { clocks[index] = HybridClock() }
            wall += .random(in: 0..<3, using: &numbers) == 0 ? .random(in: 0..<Self.second, using: &numbers) : 1
            let bound = stored.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            if !clocks[index].resume(from: bound, ahead: stored.dropFirst(8)) { Issue.record("seed \(seed): damaged") }
            var issued: [UInt64] = []
            for _ in 0..<Int.random(in: 1..<5, using: &numbers) {
                var floor: HybridTime?
                if Bool.random(using: &numbers) {
                    // Few different ones, near and far, the regular times of some moment among them.
                    let steps = UInt64.random(in: 0..<40, using: &numbers)
                    floor = HybridTime(rawValue: (wall & ~0xFF_FFFF) + steps * 0x8000_0000)
                }
                if let floor { try clocks[index].observe(floor, at: wall) }
                let time = try clocks[index].next(after: floor, at: wall).rawValue
                if let floor, time <= floor.rawValue { Issue.record("seed \(seed): not later") }
                if committed.contains(time) || issued.contains(time) { Issue.record("seed \(seed): \(time) twice") }
                issued.append(time)
                if floor == nil { late = max(late, time - min(time, wall)) }
            }
            let value = clocks[index].valueToStore(at: wall)
            guard Int.random(in: 0..<8, using: &numbers) > 0 else { continue }
            stored = value ?? stored
            committed.formUnion(issued)
        }
        // Changes that follow nothing aren't later than the reach.
        #expect(late <= HybridClock.reach + HybridClock.lead + 20_000)
    }

    @Test("very many times ahead of the clock are joined, so that few numbers are stored")
    func joined() {
        var times = AheadTimes()
        for number in 0..<600 as Range<UInt64> { times.insert(number * number + 1_000_000) }
        #expect(times.ranges.count == AheadTimes.rangeLimit && times.stored.count == 16 * AheadTimes.rangeLimit)
        #expect(AheadTimes(stored: times.stored[...]) == times)
        for number in 0..<600 as Range<UInt64>
        where times.free(from: number * number + 1_000_000) <= number * number + 1_000_000 {
            Issue.record("\(number) comes again")
        }
        // The widest gaps stay.
        #expect(times.free(from: 599 * 599 + 999_999) == 599 * 599 + 999_999)
        times.drop(through: 300 * 300 + 1_000_000)
        #expect(times.ranges.allSatisfy { $0.upperBound > 1_090_000 } && !times.isEmpty)
    }

    @Test("the bound is stored ahead, and again only when a time passes it")
    func bounds() throws {
        let lead = HybridClock.lead
        var clock = HybridClock()
        #expect(clock.boundToStore(at: Self.now) == nil)
        _ = try clock.next(at: Self.now)
        #expect(clock.boundToStore(at: Self.now) == Self.now + lead)
        for step in 1...9 as ClosedRange<UInt64> {
            _ = try clock.next(at: Self.now + step * (lead / 10))
            #expect(clock.boundToStore(at: Self.now + step * (lead / 10)) == nil)
        }
        _ = try clock.next(at: Self.now + lead + 0x1_0000)
        #expect(clock.boundToStore(at: Self.now + lead) != nil)
        // A transaction that is undone takes its bound with it.
        clock.resume(from: Self.now + lead)
        #expect(clock.boundToStore(at: Self.now + lead) != nil)
    }

    @Test("processes that write in turn are ahead of the clock by at most the lead, and by nothing after it")
    func turns() throws {
        var (wall, stored, count) = (Self.now, UInt64(0), UInt64(0))
        for gap in [0, 1, 0x1_0000, 1_000_000, 9_000_000, 0, 15_000_000, 100_000_000, 2_000_000, 0] as [UInt64] {
            wall += gap
            var process = HybridClock(stored: stored)
            let time = try process.next(at: wall).rawValue
            count += 1
            #expect(time <= wall + 10_000_000 + count, "after \(gap)")
            if gap > 10_000_000 { #expect(time <= wall, "after \(gap)") }
            stored = process.boundToStore(at: wall) ?? stored
        }
    }

    /// Processes that begin, write, fail to commit and end, over a system clock that jumps.
    @Test(
        "no time of a transaction is as early as one that was committed before, by whichever process",
        arguments: TestSeed.seeds(40))
    func processes(seed: UInt64) throws {
        var numbers = SeededRandom(seed: seed)
        var (stored, wall, greatestWall) = (UInt64(0), Self.now, Self.now)
        var committed = UInt64(0)
        var clocks = [HybridClock(), HybridClock()]
        var count = UInt64(0)
        for _ in 0..<300 {
            let index = Int.random(in: 0..<2, using: &numbers)
            switch Int.random(in: 0..<20, using: &numbers) {
            case 0: clocks[index] = HybridClock(stored: stored)
            case 1: wall -= .random(in: 0..<1_000 * Self.second, using: &numbers)
            default: wall += .random(in: 0..<Self.second, using: &numbers)
            }
            greatestWall = max(greatestWall, wall)
            clocks[index].resume(from: stored)
            var last = UInt64(0)
            for _ in 0..<Int.random(in: 1..<4, using: &numbers) {
                let time = try clocks[index].next(at: wall).rawValue
                if time <= max(last, committed) { Issue.record("seed \(seed): \(time) comes again") }
                last = time
                count += 1
            }
            let bound = clocks[index].boundToStore(at: wall)
            guard Int.random(in: 0..<5, using: &numbers) > 0 else { continue }
            if let bound, bound < stored { Issue.record("seed \(seed): the bound is lowered") }
            stored = bound ?? stored
            committed = last
            if stored < committed { Issue.record("seed \(seed): a time is above the bound") }
        }
        #expect(committed <= greatestWall + HybridClock.lead + count)
    }
}
