import BenchmarkData
import Foundation
import GRDB
import SealiteDatabase
import SealiteQuery
import Synchronization

/// The time from the beginning of a save to the delivery of the result that it changes, when nothing else is going on, beside GRDB's `ValueObservation` of the same row in an ordinary file.
struct LiveDelivery {
    let sealed: SealedBench
    let plain: DatabasePool
    let people: [PersonGenerator.Person]
    let measure: Measurement

    private static let rounds = 200
    private static let bound = 2.0

    /// The last result that an observer received, with its time.
    private final class Mailbox: Sendable {
        private let content = Mutex<(age: Int, time: Double)>((-1, 0))
        private let arrived = DispatchSemaphore(value: 0)

        func put(_ age: Int) {
            content.withLock { $0 = (age, Measurement.seconds(CLOCK_MONOTONIC)) }
            arrived.signal()
        }

        /// Waits for a value, and returns when it came.
        func time(of age: Int) -> Double {
            while true {
                let last = content.withLock { $0 }
                if last.age == age { return last.time }
                arrived.wait()
            }
        }
    }

    /// The row that is observed: one document by an index over its mail address, as both sides have it.
    private struct Row: Decodable {
        let age: Int
    }

    func run() throws {
        try sealed.collection.createIndex(withName: "email", config: ValueIndexConfiguration(["email"]))
        try plain.write { try $0.execute(sql: "CREATE INDEX email ON document (json_extract(body, '$.email'))") }
        let (sealedBox, plainBox) = (Mailbox(), Mailbox())
        let tasks = [try observeSealed(sealedBox), observePlain(plainBox)]
        defer { for task in tasks { task.cancel() } }
        var (sealedTimes, plainTimes) = ([Double](), [Double]())
        for round in 0..<Self.rounds {
            let age = 1000 + round
            // Longer than the throttle, so that the next change finds both idle.
            usleep(130_000)
            // The save's own time counts: a result can be there before the thread that saved goes on after its commit.
            let sealedStart = Measurement.seconds(CLOCK_MONOTONIC)
            try save(age)
            sealedTimes.append(sealedBox.time(of: age) - sealedStart)
            usleep(5000)
            let plainStart = Measurement.seconds(CLOCK_MONOTONIC)
            try savePlain(age)
            plainTimes.append(plainBox.time(of: age) - plainStart)
        }
        report("live query", sealedTimes, bound: Self.bound)
        report("plain ValueObservation", plainTimes, bound: nil)
    }

    private func report(_ name: String, _ times: [Double], bound: Double?) {
        let sorted = times.map { $0 * 1e3 }.sorted()
        let high = sorted[sorted.count * 95 / 100]
        print("save to delivery, \(name): 95 of 100 within \(Measurement.rounded(high)) ms")
        measure.hold("save to delivery, \(name), median", Measurement.median(sorted), bound, " ms")
    }

    private func observeSealed(_ box: Mailbox) throws -> Task<Void, Never> {
        let query = try sealed.database.createQuery("SELECT age FROM _ WHERE email = \(people[0].email)")
        return Task.detached {
            do {
                for try await rows in query.values(as: Row.self) { box.put(rows.first?.age ?? -1) }
            } catch { fatalError("\(error)") }
        }
    }

    private func observePlain(_ box: Mailbox) -> Task<Void, Never> {
        let (pool, email) = (plain, people[0].email)
        let observation = ValueObservation.tracking { database in
            try Int.fetchOne(
                database,
                sql: "SELECT json_extract(body, '$.age') FROM document WHERE json_extract(body, '$.email') = ?",
                arguments: [email])
        }
        return Task.detached {
            do {
                for try await age in observation.values(in: pool) { box.put(age ?? -1) }
            } catch { fatalError("\(error)") }
        }
    }

    private func save(_ age: Int) throws {
        guard let document = try sealed.collection.document(id: people[0].id)?.toMutable() else { return }
        try sealed.collection.save(document: document.setInt(age, forKey: "age"))
    }

    private func savePlain(_ age: Int) throws {
        try plain.write { database in
            try database.execute(
                sql: "UPDATE document SET body = json_set(body, '$.age', ?) WHERE id = ?",
                arguments: [age, people[0].id])
        }
    }
}
