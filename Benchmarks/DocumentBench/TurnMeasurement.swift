import Foundation

/// Times two ways of one work in turn, so that other work of the machine meets both, and prints the medians.
struct TurnMeasurement {
    /// The time that a work took, in seconds.
    private struct Time {
        /// By the wall clock.
        let wall: Double
        /// Of the calling thread's processor.
        let processor: Double
    }

    /// The number of repetitions of each work.
    let rounds: Int

    private static func time(_ count: Int, _ body: () throws -> Void) rethrows -> Time {
        let before = (Measurement.seconds(CLOCK_MONOTONIC), Measurement.seconds(CLOCK_THREAD_CPUTIME_ID))
        try body()
        let after = (Measurement.seconds(CLOCK_MONOTONIC), Measurement.seconds(CLOCK_THREAD_CPUTIME_ID))
        return Time(wall: (after.0 - before.0) / Double(count), processor: (after.1 - before.1) / Double(count))
    }

    /// Does both works once unmeasured and then in turn, each round after `prepare`, and prints the medians of what one of `count` took.
    func compare(
        _ name: String, _ count: Int = 1, prepare: () throws -> Void = {}, sealed: () throws -> Void,
        plain: () throws -> Void
    ) rethrows {
        try prepare()
        try sealed()
        try plain()
        var times: (sealed: [Time], plain: [Time]) = ([], [])
        for _ in 0..<rounds {
            try prepare()
            times.sealed.append(try Self.time(count, sealed))
            times.plain.append(try Self.time(count, plain))
        }
        let ratio = Measurement.median(zip(times.sealed, times.plain).map { $0.processor / $1.processor })
        print(
            "\(name): sealed \(Self.text(times.sealed)), plain \(Self.text(times.plain)), ratio \(Measurement.rounded(ratio))"
        )
    }

    /// Does one work without another beside it, each round after `prepare`, and prints the median of what one of `count` took.
    func alone(_ name: String, _ count: Int = 1, prepare: () throws -> Void, _ work: () throws -> Void) rethrows {
        var times: [Time] = []
        for _ in 0...rounds {
            try prepare()
            times.append(try Self.time(count, work))
        }
        print("\(name): \(Self.text(Array(times.dropFirst())))")
    }

    private static func text(_ times: [Time]) -> String {
        let (wall, processor) = (Measurement.median(times.map(\.wall)), Measurement.median(times.map(\.processor)))
        return wall < 0.001
            ? "\(Measurement.rounded(wall * 1e6)) µs wall, \(Measurement.rounded(processor * 1e6)) µs processor"
            : "\(Measurement.rounded(wall * 1e3)) ms wall, \(Measurement.rounded(processor * 1e3)) ms processor"
    }
}
