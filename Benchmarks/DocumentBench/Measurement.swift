import Foundation

/// Times work and remembers the processor times of each, by name.
final class Measurement {
    private var processorTimes: [String: [Double]] = [:]
    /// Values that were measured elsewhere.
    private var held: [(name: String, value: Double, bound: Double?, unit: String)] = []

    /// Returns the time of a clock in seconds.
    static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Remembers a figure, to be printed at the end and held against its bound.
    func hold(_ name: String, _ value: Double, _ bound: Double?, _ unit: String) {
        held.append((name, value, bound, unit))
    }

    /// Runs `body`, which does `count` of something, and prints how many a second.
    func run(_ name: String, _ count: Int, _ body: () throws -> Void) rethrows {
        let before = Self.seconds(CLOCK_PROCESS_CPUTIME_ID)
        let wall = try ContinuousClock().measure(body)
        let processor = Self.seconds(CLOCK_PROCESS_CPUTIME_ID) - before
        let seconds = Double(wall.components.seconds) + Double(wall.components.attoseconds) / 1e18
        processorTimes[name, default: []].append(processor / Double(count))
        func rate(_ seconds: Double) -> String { String(Int(Double(count) / seconds)) }
        let microseconds = Double(Int(processor / Double(count) * 1e8)) / 100
        print("\(name): \(rate(seconds))/s wall, \(rate(processor))/s processor (\(microseconds) µs each)")
    }

    /// Runs `body`, which does one of something, `count` times: the median counts, and the mean and the longest are printed beside it.
    func each(_ name: String, _ count: Int, _ body: (Int) throws -> Void) rethrows {
        var times: [Double] = []
        for index in 0..<count {
            let before = Self.seconds(CLOCK_PROCESS_CPUTIME_ID)
            try body(index)
            times.append(Self.seconds(CLOCK_PROCESS_CPUTIME_ID) - before)
        }
        processorTimes[name, default: []].append(Self.median(times))
        func microseconds(_ seconds: Double) -> Double { Double(Int(seconds * 1e7)) / 10 }
        let mean = times.reduce(0, +) / Double(count)
        print(
            "\(name): median \(microseconds(Self.median(times))) µs processor, mean \(microseconds(mean)), longest \(microseconds(times.max() ?? 0))"
        )
    }

    /// Prints the ratio of the times of two operations, of each run of the one to that of the other beside it: the median, the least and the
    /// greatest. The median is held against the bound at the end. The first runs, which read the file, don't count.
    func printRatio(_ name: String, to other: String, bound: Double) {
        guard let times = processorTimes[name], let others = processorTimes[other] else { return }
        let ratios = zip(times, others).dropFirst().map { $0 / $1 }.sorted()
        guard let least = ratios.first, let greatest = ratios.last else { return }
        let figures = [Self.median(ratios), least, greatest].map(Self.rounded)
        print("\(name) / \(other): \(figures[0]), from \(figures[1]) to \(figures[2])")
        hold("\(name) / \(other)", Self.median(ratios), bound, "")
    }

    /// Prints sealed documents against plain GRDB wherever both were measured, and holds them against the bounds. What ran several
    /// times is judged by the median of each run's own ratio to the plain one beside it.
    ///
    /// - Returns: whether every figure is within its bound.
    func judge() -> Bool {
        var isWithin = true
        func row(_ name: String, _ value: Double, _ bound: Double?, _ unit: String) {
            let isOver = bound.map { value > $0 } ?? false
            isWithin = isWithin && !isOver
            let limit = bound.map { "  at most \($0)\(unit)" } ?? ""
            print("\(name): \(Self.rounded(value))\(unit)\(limit)\(isOver ? "  EXCEEDED" : "")")
        }
        for (name, times) in processorTimes.sorted(by: { $0.key < $1.key }) {
            guard name.hasPrefix("sealed "), let plain = processorTimes["plain " + name.dropFirst(7)] else { continue }
            let ratio = Self.median(zip(times, plain).map { $0 / $1 })
            row("sealed / plain, \(name.dropFirst(7))", ratio, Self.ratioBounds[String(name.dropFirst(7))], "")
        }
        for (name, bound) in Self.indexBounds.sorted(by: { $0.key < $1.key }) {
            guard let with = processorTimes["three indexes, \(name)"], let without = processorTimes["no index, \(name)"]
            else { continue }
            row("three indexes / no index, \(name)", Self.median(zip(with, without).map { $0 / $1 }), bound, "")
        }
        for suffix in ["", ", the text stays", ", unstemmed prefixes", ", unstemmed prefixes, the text stays"] {
            guard let with = processorTimes["saving one document, full-text index\(suffix)"],
                let without = processorTimes["saving one document, no full-text index\(suffix)"]
            else { continue }
            row(
                "full-text index / none, saving one document\(suffix)",
                Self.median(zip(with, without).map { $0 / $1 }), 3, "")
        }
        for (name, other) in Self.typedRows {
            guard let typed = processorTimes[name], let untyped = processorTimes[other] else { continue }
            row("\(name) / \(other)", Self.median(zip(typed, untyped).map { $0 / $1 }), 1.5, "")
        }
        for name in ["sealed count by age", "sealed count by city"] {
            guard let times = processorTimes[name] else { continue }
            row("100,000 documents, \(name)", Self.median(times) * 1e8, 40, " ms")
        }
        for figure in held { row(figure.name, figure.value, figure.bound, figure.unit) }
        return isWithin
    }

    /// The rows that typed objects are compared with.
    private static let typedRows = [
        ("typed read", "untyped read of all members"), ("typed save", "untyped set of all members and save"),
    ]

    static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    /// A figure with two decimals.
    static func rounded(_ value: Double) -> Double { Double(Int(value * 100)) / 100 }

    /// The permitted processor time with three indexes, as a multiple of the time without an index.
    private static let indexBounds = ["insert": 2.2, "update that changes no key": 1.1]

    /// The permitted processor time as a multiple of plain GRDB's. Other rows are for comparison.
    private static let ratioBounds = [
        "insert in one transaction": 2.0, "random reads": 2.0, "full text, building": 1.6,
        "full text, building, unstemmed prefixes": 1.6,
    ].merging(fullTextBounds) { $1 }

    private static let fullTextBounds: [String: Double] = {
        let searches = ["a frequent word", "a word", "a rare word", "two words"]
        let names = searches.flatMap {
            ["full text, top 10 of \($0)", "full text, top 10 of \($0), unstemmed prefixes"]
        }
        return Dictionary(uniqueKeysWithValues: names.map { ($0, 1.5) })
    }()
}

/// The same random ids for every run.
func randomIndexes(_ count: Int, below limit: Int) -> [Int] {
    var state: UInt64 = 42
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }
}
