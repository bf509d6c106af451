import SealiteDatabase
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("sorts of documents that don't fit in memory")
struct BlockingSortTests {
    /// Values of many types, numbers that differ only beyond a double, and texts that are equal up to where keys are
    /// truncated.
    private static func value(_ random: inout SeededRandom) -> BSON {
        let long = String(repeating: "x", count: 955)
        let numbers: [BSON] = [
            1, 1.0, 2.5, -3, .double(.nan), .double(-.infinity), .int64(1 << 53), .int64(1 << 53 + 1),
        ]
        let texts = ["", "a", "a\0", "ab", "b", long, long + "aaaaaaaa", long + "aaaaaaab", long + "aaaaaaaac"]
        return switch Int.random(in: 0..<6, using: &random) {
        case 0: .null
        case 1: numbers.randomElement(using: &random) ?? .null
        case 2, 3: .string(texts.randomElement(using: &random) ?? "")
        case 4:
            .array([BSON(Int.random(in: 0..<3, using: &random)), .string(texts[Int.random(in: 0..<9, using: &random)])])
        default: .document(["m": .string(texts[Int.random(in: 0..<9, using: &random)])])
        }
    }

    @Test("the row numbers are in the order of the documents, in both directions, with every limit", arguments: 0..<12)
    func numbers(_ part: UInt64) throws {
        var random = SeededRandom(part: part)
        let sort: MongoDocument = [
            "a": part % 2 == 0 ? 1 : -1, "b": part % 3 == 0 ? 1 : -1, "c": part % 5 == 0 ? -1 : 1,
        ]
        let order = try SortOrder(.document(sort))
        let limit = [Int.max, 0, 1, 7, 200, 400][Int(part) % 6]
        var (sealed, whole) = (
            BlockingSort(order, limit: limit, byteLimit: 20_000), BlockingSort(order, limit: limit, byteLimit: .max)
        )
        for number in (0..<500).shuffled(using: &random) {
            let values = (0..<3).map { _ in Self.value(&random) }
            let row = Row(["_id": BSON(number)])
            try sealed.add(row, values, number: Int64(number))
            try whole.add(row, values, number: Int64(number))
        }
        guard case .documents(let rows) = try whole.sorted() else {
            Issue.record("the documents weren't held")
            return
        }
        let numbers: [Int64]
        switch try sealed.sorted() {
        case .numbers(let found): numbers = found
        case .documents(let rows):
            #expect(limit <= 7, "few documents are held")
            numbers = rows.compactMap { $0.id.exactInt64 }
        }
        #expect(numbers == rows.compactMap { $0.id.exactInt64 })
        #expect(numbers.count == min(limit, 500))
    }

    @Test("a find that sorts more than it may hold returns each document once, from the state in which it began")
    func find() async throws {
        let text = String(repeating: "long ", count: 4_000)
        let test = try TestStore()
        let things = try await test.collection(
            "things", (0..<1_800).map { ["_id": BSON($0), "n": BSON($0 * 7 % 1_800), "text": .string(text)] })
        let options = FindOptions(limit: 1_790, projection: ["n": 1], skip: 3, sort: ["n": -1])
        var found = things.find(["_id": ["$lt": 1_799]], options: options).makeAsyncIterator()
        var numbers = [try #require(try await found.next())["n"]]
        try await things.updateMany([:], ["$set": ["n": 5, "text": ""]])
        while let document = try await found.next() { numbers.append(document["n"]) }
        let all = (0..<1_800).filter { $0 != 1_799 * 7 % 1_800 }.reversed()
        #expect(numbers == all.dropFirst(3).prefix(1_790).map { BSON($0) })
    }
}
