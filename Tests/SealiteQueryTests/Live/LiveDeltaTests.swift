import SealiteDatabase
import SealiteTestSupport
import Testing

@testable import SealiteQuery

@Suite("live queries: deltas")
struct LiveDeltaTests {
    struct Row: Decodable, Equatable, Sendable, Identifiable {
        let id: String
        let n: Int?
    }

    let test: TestDatabase

    init() throws { test = try TestDatabase() }

    private func query(_ text: String = "SELECT META().id AS id, n FROM _ WHERE n > 0 ORDER BY n, id") throws -> Query {
        try test.database.createQuery(text as String)
    }

    @Test("rows come, change, move and go")
    func delta() async throws {
        for (id, n) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] { try test.save(id, #"{"n":\#(n)}"#) }
        var iterator = try query().changes(as: Row.self).makeAsyncIterator()
        let first = try #require(try await iterator.next())
        #expect(first.isFirst)
        #expect(first.inserted.map(\.row.id) == ["a", "b", "c", "d"])
        var rows: [Row] = [Row(id: "x", n: 0)]
        try first.apply(to: &rows)
        #expect(rows.map(\.id) == ["a", "b", "c", "d"])
        try change()
        let second = try #require(try await iterator.next())
        #expect(!second.isFirst)
        #expect(second.removed == [.init(offset: 1, key: "b")])
        #expect(second.inserted.map(\.offset) == [1])
        #expect(second.moved == [.init(from: 0, to: 3)])
        #expect(second.updated.map(\.offset) == [3])
        try second.apply(to: &rows)
        #expect(rows == [Row(id: "c", n: 3), Row(id: "e", n: 3), Row(id: "d", n: 4), Row(id: "a", n: 9)])
        #expect(throws: DatabaseError.self) {
            var wrong = Array(rows.dropLast(2))
            try second.apply(to: &wrong)
        }
    }

    private func change() throws {
        try test.database.inBatch {
            try test.delete("b")
            try test.save("a", #"{"n":9}"#)
            try test.save("e", #"{"n":3}"#)
        }
    }

    @Test("two rows with one key, and rows without one, are errors that name the column")
    func keys() async throws {
        for id in ["a", "b"] { try test.save(id, #"{"n":1,"k":"\#(id)"}"#) }
        var iterator = try query("SELECT k AS id, n FROM _").changes(as: Row.self).makeAsyncIterator()
        _ = try await iterator.next()
        try test.save("c", #"{"n":1,"k":"a"}"#)
        let error = await #expect(throws: DatabaseError.self) { try await iterator.next() }
        #expect(error?.reason.contains("\"id\"") == true)
        #expect(try await iterator.next() == nil)
        for column in ["k", "missing"] {
            try test.save("c", #"{"n":1}"#)
            var other = try query("SELECT k, n FROM _").changes(keyedBy: column, as: Row.self).makeAsyncIterator()
            let error = await #expect(throws: DatabaseError.self) { try await other.next() }
            #expect(error?.reason.contains("\"\(column)\"") == true)
        }
        await eventually("the end") { self.test.statistics.observers == 0 }
    }

    @Test("of SELECT VALUE the key is a member of the value")
    func values() async throws {
        try test.save("a", #"{"id":"x","n":5}"#)
        var iterator = try query("SELECT VALUE c FROM _ AS c").changes(as: Row.self).makeAsyncIterator()
        #expect(try await iterator.next()?.inserted.first?.row == Row(id: "x", n: 5))
    }

    @Test("deltas of random results, one after the other, give the results", arguments: TestSeed.seeds(20))
    func random(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        var maker = DeltaMaker(keyColumn: "id")
        var rows: [Row] = []
        for _ in 0..<60 {
            var ids = Array(0..<Int.random(in: 0...12, using: &generator)).shuffled(using: &generator)
            if Bool.random(using: &generator) { ids.sort() }
            let values = ids.map { [QueryValue.text("r\($0)"), .integer(Int64.random(in: 0...1, using: &generator))] }
            let results = LiveResultsMaker.make(test.database, ["id", "n"], values)
            let before = rows
            let delta = try maker.delta(to: results) { try $0.data(as: Row.self) }
            try delta.apply(to: &rows)
            #expect(rows == values.map { Row(id: Self.text($0[0]), n: Self.number($0[1])) })
            let kept = before.count - delta.removed.count
            let longest = Self.longest(before.map(\.id), rows.map(\.id))
            #expect(delta.isFirst || delta.moved.count == kept - longest)
            #expect(delta.updated.count + delta.inserted.count <= rows.count)
        }
    }

    private static func text(_ value: QueryValue) -> String { if case .text(let text) = value { text } else { "" } }

    private static func number(_ value: QueryValue) -> Int? {
        if case .integer(let integer) = value { Int(integer) } else { nil }
    }

    /// The length of the longest common subsequence, by the textbook's table.
    private static func longest(_ left: [String], _ right: [String]) -> Int {
        var table = [[Int]](repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
        for (i, a) in left.enumerated() {
            for (j, b) in right.enumerated() {
                table[i + 1][j + 1] = a == b ? table[i][j] + 1 : max(table[i][j + 1], table[i + 1][j])
            }
        }
        return table[left.count][right.count]
    }

    @Test("ten thousand rows in reverse order take no longer than their sorting")
    func reverse() {
        #expect(RowDifference.longestIncreasing(Array((0..<10_000).reversed())).count == 1)
        #expect(RowDifference.longestIncreasing(Array(0..<10_000)).count == 10_000)
        #expect(RowDifference.longestIncreasing([]).isEmpty)
        #expect(RowDifference.longestIncreasing([3, 1, 2, 5, 4]).count == 3)
    }
}

enum LiveResultsMaker {
    /// A result of values.
    static func make(_ database: Database, _ names: [String], _ rows: [[QueryValue]]) -> LiveRows {
        let columns = ResultColumns(names, isValue: false)
        var hasher = RowHasher()
        for row in rows { hasher.combine(row) }
        return LiveRows(
            columns, database, rows.map { Result(columns: columns, values: $0, database: database) },
            hash: hasher.finalize())
    }
}
