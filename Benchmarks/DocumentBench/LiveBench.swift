import BenchmarkData
import Foundation
import SealiteDatabase
import SealiteQuery

/// Measures the cost of a hundred live queries on one collection for a writer whose documents match none of them.
struct LiveBench {
    let folder: String
    let people: [PersonGenerator.Person]
    let texts: [[UInt8]]
    let measure: Measurement

    static let queryCount = 100
    private static let rounds = 21
    private static let savesPerRound = 1000
    private static let warmingSaves = 1500
    private static let pausedSaves = 50

    /// The processor time of one save, in seconds.
    private struct Cost {
        /// Of the thread that saves.
        let saving: Double
        /// Of all other threads, until the changes have been looked at.
        let elsewhere: Double
    }

    func run() throws {
        let place = folder + "/live"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let sealed = try SealedBench(folder: place, people: people, texts: texts, measure: measure)
        let plain = try PlainBench(folder: place, people: people, texts: texts, measure: measure)
        try sealed.insert()
        try plain.insert()
        try observers(sealed)
        try pauses(sealed)
        try LiveDelivery(sealed: sealed, plain: plain.pool, people: people, measure: measure).run()
        try sealed.database.close()
        try FileManager.default.removeItem(atPath: place)
    }

    /// Saves in turn with nobody watching, with one query and with a hundred.
    private func observers(_ sealed: SealedBench) throws {
        var costs: [Int: [Cost]] = [:]
        var saved = 0
        for round in 0...Self.rounds {
            // Each number of queries comes as often first as last.
            let counts = [0, 1, Self.queryCount]
            for step in counts.indices {
                let count = counts[(step + round) % counts.count]
                let observers = try LiveObservers(count, of: sealed.database)
                // The first runs of a hundred queries read all documents, which drives what a writer needs out of the processor's caches: that is the price of
                // beginning to observe, not of observing. A thousand saves later it no longer shows.
                _ = try save(sealed, Self.warmingSaves, from: &saved, watchedBy: count)
                let cost = try save(sealed, Self.savesPerRound, from: &saved, watchedBy: count)
                observers.end()
                if round > 0 { costs[count, default: []].append(cost) }
            }
        }
        report(costs)
    }

    private func save(
        _ sealed: SealedBench, _ saves: Int, from saved: inout Int, watchedBy count: Int
    ) throws -> Cost {
        let before = sealed.database.liveQueryStatistics
        let start = (Measurement.seconds(CLOCK_PROCESS_CPUTIME_ID), Measurement.seconds(CLOCK_THREAD_CPUTIME_ID))
        for _ in 0..<saves {
            let index = saved % people.count
            saved += 1
            try sealed.collection.save(document: MutableDocument(id: people[index].id, json: texts[index]))
        }
        let saving = Measurement.seconds(CLOCK_THREAD_CPUTIME_ID) - start.1
        awaitEvaluations(of: sealed, before.evaluatedChanges + saves * count)
        let after = sealed.database.liveQueryStatistics
        guard after.executions == before.executions else { fatalError("a query was run for what it doesn't want") }
        let thread = Measurement.seconds(CLOCK_THREAD_CPUTIME_ID) - start.1
        let elsewhere = Measurement.seconds(CLOCK_PROCESS_CPUTIME_ID) - start.0 - thread
        return Cost(saving: saving / Double(saves), elsewhere: elsewhere / Double(saves))
    }

    private func awaitEvaluations(of sealed: SealedBench, _ count: Int) {
        while sealed.database.liveQueryStatistics.evaluatedChanges < count { usleep(1000) }
    }

    /// Saves so seldom that each change is looked at by itself, as a person's are.
    private func pauses(_ sealed: SealedBench) throws {
        var (alone, watched) = ([Cost](), [Cost]())
        for _ in 0..<5 {
            alone += try savePausing(sealed, watchedBy: 0)
            watched += try savePausing(sealed, watchedBy: Self.queryCount)
        }
        func median(_ costs: [Cost], _ path: KeyPath<Cost, Double>) -> Double {
            Measurement.median(costs.map { $0[keyPath: path] }) * 1e6
        }
        for (count, costs) in [(0, alone), (Self.queryCount, watched)] {
            print(
                "single save after a pause, \(count) live queries: \(Measurement.rounded(median(costs, \.saving))) µs of "
                    + "the saving thread, \(Measurement.rounded(median(costs, \.elsewhere))) µs elsewhere")
        }
    }

    private func savePausing(_ sealed: SealedBench, watchedBy count: Int) throws -> [Cost] {
        let observers = try LiveObservers(count, of: sealed.database)
        defer { observers.end() }
        return try (0..<Self.pausedSaves).map { index in
            usleep(15_000)
            let evaluated = sealed.database.liveQueryStatistics.evaluatedChanges
            let start = (Measurement.seconds(CLOCK_PROCESS_CPUTIME_ID), Measurement.seconds(CLOCK_THREAD_CPUTIME_ID))
            try sealed.collection.save(document: MutableDocument(id: people[index].id, json: texts[index]))
            let saving = Measurement.seconds(CLOCK_THREAD_CPUTIME_ID) - start.1
            awaitEvaluations(of: sealed, evaluated + count)
            let thread = Measurement.seconds(CLOCK_THREAD_CPUTIME_ID) - start.1
            return Cost(saving: saving, elsewhere: Measurement.seconds(CLOCK_PROCESS_CPUTIME_ID) - start.0 - thread)
        }
    }

    private func report(_ costs: [Int: [Cost]]) {
        guard let alone = costs[0] else { return }
        for (count, watched) in costs.sorted(by: { $0.key < $1.key }) {
            let saving = Measurement.median(watched.map(\.saving)) * 1e6
            let elsewhere = Measurement.median(watched.map(\.elsewhere)) * 1e6
            print(
                "single save, \(count) live queries: \(Measurement.rounded(saving)) µs of the saving thread, "
                    + "\(Measurement.rounded(elsewhere)) µs elsewhere")
            guard count > 0 else { continue }
            let growths = zip(watched, alone).map { ($0.saving / $1.saving - 1) * 100 }
            measure.hold(
                "saving thread with \(count) live queries, more", Measurement.median(growths), 5, " percent")
            let extra = zip(watched, alone).map { ($0.elsewhere - $1.elsewhere) / Double(count) * 1e6 }
            measure.hold(
                "elsewhere with \(count) live queries, a query and change", Measurement.median(extra),
                count == Self.queryCount ? 0.5 : nil, " µs")
        }
    }
}

/// Observers of different queries whose results are empty.
private struct LiveObservers {
    private let tokens: [ListenerToken]

    /// Begins to observe, and waits until each query has had its first result.
    init(_ count: Int, of database: Database) throws {
        let delivered = DispatchSemaphore(value: 0)
        tokens = try (0..<count).map { number in
            // Half of them compare a number, half a nested text.
            let query =
                number % 2 == 0
                ? try database.createQuery("SELECT name FROM _ WHERE age > \(1000 + number)")
                : try database.createQuery("SELECT name FROM _ WHERE address.city = \("nowhere \(number)")")
            return query.addChangeListener { _ in delivered.signal() }
        }
        for _ in 0..<count { delivered.wait() }
    }

    func end() { for token in tokens { token.remove() } }
}
