import Foundation
import Observation
import SealiteDatabase
@testable import SealiteModel
import SealiteQuery
import SealiteTestSupport
import SealiteValues
import Testing

@Suite("observed queries over models", .endsIfItHangs)
struct ObservingTests {
    private func town() throws -> (StoreFixture, ModelStore) {
        let fixture = try StoreFixture()
        let store = try fixture.store(Resident.self)
        try store.write { transaction in
            for (id, age) in [30, 10, 20].enumerated() {
                try transaction.save(Resident(id: id, name: "n\(id)", age: age))
            }
        }
        return (fixture, store)
    }

    @Test("objects come at once, also none, and whenever they change")
    func values() async throws {
        let (fixture, store) = try town()
        defer { withExtendedLifetime(fixture) {} }
        var old = store.objects(Resident.self).where(\.age > 15).sorted(by: \.age).values.makeAsyncIterator()
        var none = store.objects(Resident.self).where(\.age > 99).values.makeAsyncIterator()
        #expect(try await old.next()?.map(\.age) == [20, 30])
        #expect(try await none.next()?.isEmpty == true)
        try await store.save(Resident(id: 5, name: "", age: 25))
        #expect(try await old.next()?.map(\.age) == [20, 25, 30])
        try await store.save(Resident(id: 6, name: "", age: 100))
        #expect(try await none.next()?.map(\.id) == [6])
        #expect(try await old.next()?.map(\.age) == [20, 25, 30, 100])
    }

    @Test("a change that no condition is true of runs no query")
    func skipping() async throws {
        let (fixture, store) = try town()
        defer { withExtendedLifetime(fixture) {} }
        var old = store.objects(Resident.self).where(\.age > 15).values.makeAsyncIterator()
        _ = try await old.next()
        for id in 10..<15 { try await store.save(Resident(id: id, name: "", age: 1)) }
        try await store.save(Resident(id: 99, name: "", age: 50))
        #expect(try await old.next()?.count == 3)
        #expect(store.database.liveQueryStatistics.executions == 2)
    }

    @Test("the differences are those of objects that are told apart by their IDs, and make the next result")
    func changes() async throws {
        let (fixture, store) = try town()
        defer { withExtendedLifetime(fixture) {} }
        let query = store.objects(Resident.self).sorted(by: \.age)
        var deltas = query.changes.makeAsyncIterator()
        var rows: [Resident] = []
        try #require(try await deltas.next()).apply(to: &rows)
        #expect(try await rows == query.all())
        try await store.write { transaction in
            try transaction.delete(Resident.self, id: 1)
            try transaction.save(Resident(id: 0, name: "moved", age: 5))
            try transaction.save(Resident(id: 9, name: "new", age: 15))
        }
        let delta = try #require(try await deltas.next())
        #expect(delta.removed.map(\.key) == ["$n:1"])
        #expect(delta.inserted.map(\.row.id) == [9])
        #expect(delta.updated.map(\.row.name) == ["moved"])
        try delta.apply(to: &rows)
        #expect(try await rows == query.all())
    }

    @Test("the first object and the number of objects are observed, within limits too")
    func firstAndCount() async throws {
        let (fixture, store) = try town()
        defer { withExtendedLifetime(fixture) {} }
        let query = store.objects(Resident.self).sorted(by: \.age)
        var first = query.firstValues.makeAsyncIterator()
        var count = query.where(\.age > 15).counts.makeAsyncIterator()
        var limited = query.limit(3, offset: 1).counts.makeAsyncIterator()
        var distinct = query.distinct(by: \.nick).counts.makeAsyncIterator()
        #expect(try await first.next()??.age == 10)
        #expect(try await count.next() == 2)
        #expect(try await limited.next() == 2)
        #expect(try await distinct.next() == 1)
        try await store.save(Resident(id: 1, name: "", age: 40, nick: "x"))
        #expect(try await first.next()??.age == 20)
        #expect(try await count.next() == 3)
        #expect(try await distinct.next() == 2)
        try await store.write { transaction in for id in 0..<3 { try transaction.delete(Resident.self, id: id) } }
        #expect(try await first.next() == .some(nil))
        #expect(try await limited.next() == 0)
    }

    @Test("sections have the objects of a value each, in order, and are observed")
    func sections() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store(Resident.self)
        for (id, nick) in ["b", nil, "a", "b"].enumerated() {
            try await store.save(Resident(id: id, name: "n\(9 - id)", age: 1, nick: nick))
        }
        let sectioned = store.objects(Resident.self).sorted(by: \.name).sectioned(by: \.nick)
        let sections = try await sectioned.all()
        #expect(sections.map(\.key) == [nil, "a", "b"])
        #expect(sections.map { $0.objects.map(\.id) } == [[1], [2], [3, 0]])
        let descending = store.objects(Resident.self).sectioned(by: \.nick, ascending: false)
        #expect(try await descending.all().map(\.key) == ["b", "a", nil])
        var observed = sectioned.values.makeAsyncIterator()
        #expect(try await observed.next() == sections)
        try await store.delete(Resident.self, id: 2)
        #expect(try await observed.next()?.map(\.key) == [nil, "b"])
    }

    @Test("what can't be run is an error of the first element, which ends the sequence")
    func errors() async throws {
        let (fixture, store) = try town()
        defer { withExtendedLifetime(fixture) {} }
        let query = store.objects(Resident.self)
        var values = query.where(\.doubleAge > 5).values.makeAsyncIterator()
        await #expect(throws: SchemaError.self) { try await values.next() }
        #expect(try await values.next() == nil)
        var changes = query.where("age >").changes.makeAsyncIterator()
        await #expect(throws: DatabaseError.self) { try await changes.next() }
        #expect(try await changes.next()?.isFirst == nil)
        var damaged = query.values.makeAsyncIterator()
        _ = try await damaged.next()
        try store.put(Resident.self, 8, #"{"name":5}"#)
        await #expect(throws: DatabaseError.self) { try await damaged.next() }
    }

    @Test("nothing observes any more when the iterators are gone, and closing the database ends them")
    func ending() async throws {
        let (fixture, store) = try town()
        defer { withExtendedLifetime(fixture) {} }
        do {
            var one = store.objects(Resident.self).values.makeAsyncIterator()
            var two = store.objects(Resident.self).changes.makeAsyncIterator()
            _ = try await (one.next(), two.next())
            #expect(store.database.liveQueryStatistics.observers == 2)
            #expect(store.database.liveQueryStatistics.sharedQueries == 1)
        }
        #expect(store.database.liveQueryStatistics.observers == 0)
        var last = store.objects(Resident.self).counts.makeAsyncIterator()
        #expect(try await last.next() == 3)
        try await store.database.close()
        #expect(try await last.next() == nil)
    }

    @Test("an observable holder has the objects")
    @MainActor
    func liveResults() async throws {
        let (fixture, store) = try town()
        defer { withExtendedLifetime(fixture) {} }
        let live = try store.objects(Resident.self).where(\.age > 15).sorted(by: \.age).liveResults()
        while live.isLoading { await changed { _ = live.isLoading } }
        while live.rows.isEmpty { await changed { _ = live.rows } }
        #expect(live.rows.map(\.age) == [20, 30])
        try await store.save(Resident(id: 1, name: "", age: 40))
        while live.rows.count < 3 { await changed { _ = live.rows } }
        #expect(live.rows.map(\.age) == [20, 30, 40])
        #expect(throws: SchemaError.self) { try store.objects(Resident.self).where(\.doubleAge > 5).liveResults() }
    }

    @MainActor
    private func changed(_ read: () -> Void) async {
        await withCheckedContinuation { continuation in
            withObservationTracking(read) { continuation.resume() }
        }
    }
}
