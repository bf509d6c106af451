import Foundation

/// Times work and remembers the processor time of each, by name.
final class Measurement {
    private var processorTimes: [String: Double] = [:]

    private static func processorSeconds() -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Runs `body`, which does `count` of something, and prints how many a second.
    func run(_ name: String, _ count: Int, _ body: () throws -> Void) rethrows {
        let before = Self.processorSeconds()
        let wall = try ContinuousClock().measure(body)
        let processor = Self.processorSeconds() - before
        let seconds = Double(wall.components.seconds) + Double(wall.components.attoseconds) / 1e18
        processorTimes[name] = processor / Double(count)
        func rate(_ seconds: Double) -> String { String(Int(Double(count) / seconds)) }
        let microseconds = Double(Int(processor / Double(count) * 1e8)) / 100
        print("\(name): \(rate(seconds))/s wall, \(rate(processor))/s processor (\(microseconds) µs each)")
    }

    /// Prints sealed documents against plain GRDB wherever both were measured.
    func printRatios() {
        for (name, time) in processorTimes.sorted(by: { $0.key < $1.key }) {
            guard name.hasPrefix("sealed "), let plain = processorTimes["plain " + name.dropFirst(7)] else { continue }
            print("ratio \(name.dropFirst(7)): \(Double(Int(time / plain * 100)) / 100)")
        }
    }
}

/// The same random ids for every run.
func randomIndexes(_ count: Int, below limit: Int) -> [Int] {
    var state: UInt64 = 42
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }
}
