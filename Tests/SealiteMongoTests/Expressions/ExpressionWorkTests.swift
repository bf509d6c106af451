import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("the work of expressions, filters and pipelines")
struct ExpressionWorkTests {
    private static let count = 30_000

    /// A row with large values: arrays of different and of equal numbers, arrays in arrays, and a text.
    private static let row: Row = {
        let numbers = (0..<count).map { BSON.int32(Int32(truncatingIfNeeded: $0 &* 7919 % 100_003)) }
        let pairs = numbers.map { BSON.array([.string("\($0)"), $0]) }
        return Row([
            "many": .array(numbers), "other": .array(numbers.reversed()), "deep": .array([.array([.array(numbers)])]),
            "deepToo": .array([.array([.array(numbers)])]), "pairs": .array(pairs),
            "text": .string(String(repeating: "ä", count: count * 40)),
        ])
    }()

    /// The most expensive operators, each once and in a loop.
    private static let operators: [BSON] = [
        ["$in": [-1, "$many"]], ["$indexOfArray": ["$many", -1]], ["$eq": ["$deep", "$deepToo"]],
        ["$lt": ["$deep", "$deepToo"]], ["$setIsSubset": ["$many", "$other"]], ["$setEquals": ["$many", "$other"]],
        ["$setUnion": ["$many", "$other"]], ["$setIntersection": ["$many", "$other"]],
        ["$setDifference": ["$many", ["$setUnion": ["$deep", "$deepToo"]]]], ["$strLenCP": "$text"],
        ["$indexOfCP": ["$text", "b"]], ["$indexOfBytes": ["$text", "b"]], ["$split": ["$text", "b"]],
        ["$replaceAll": ["input": "$text", "find": "b", "replacement": "c"]], ["$toLower": "$text"],
        ["$sortArray": ["input": "$many", "sortBy": 1]], ["$maxN": ["input": "$many", "n": 3]],
        ["$reverseArray": "$many"], ["$concatArrays": ["$many", "$other"]], ["$arrayToObject": "$pairs"],
        ["$zip": ["inputs": ["$many", "$other"]]], ["$max": "$many"], ["$slice": ["$many", 10, 10]],
        ["$reduce": ["input": [1], "initialValue": "$other", "in": "$$value"]],
    ]

    private static func loop(over expression: BSON) -> BSON {
        [
            "$map": [
                "input": ["$range": [0, 2000]], "in": ["$size": [["$objectToArray": .document(["a": expression])]]],
            ]
        ]
    }

    /// Evaluates an expression, and returns the units of work that were charged, with the error.
    private static func units(of expression: BSON) throws -> (count: Int, error: (any Error)?) {
        let slots = SlotCounter()
        let node = try ExpressionParser(slots).parse(expression)
        let evaluation = Evaluation(row, slotCount: slots.count, now: DateTime(milliseconds: 0))
        do {
            _ = try node.value(evaluation)
            return (evaluation.work.units, nil)
        } catch {
            return (evaluation.work.units, error)
        }
    }

    /// Runs `body` in a task that is cancelled before.
    private static func cancelled<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try body()
        }
        task.cancel()
        return try await task.value
    }

    @Test("a pass over a large value is charged by its size", arguments: operators)
    func charges(expression: BSON) throws {
        let whole = try Self.units(of: expression)
        #expect(whole.error == nil)
        #expect(whole.count >= Self.count, "\(whole.count)")
    }

    @Test("a loop ends within one pass over its values after a cancellation", arguments: operators)
    func cancellation(expression: BSON) async throws {
        let ended = try await Self.cancelled { try Self.units(of: Self.loop(over: expression)) }
        #expect(ended.error is CancellationError)
        // The sort of a set charges some 17 units for each item, but isn't reached.
        #expect(ended.count <= 4 * Self.count + 2 * WorkMeter.interval, "\(ended.count)")
    }

    @Test("a filter looks for a cancellation while it visits a large array, stored or in memory")
    func filter() async throws {
        let filter = try Filter(parsing: ["many": ["$gt": 1_000_000]])
        let body = try Self.row.document.stored()
        for row in [Self.row, Row(body: body, id: .int32(1))] {
            #expect(try filter.matches(row) == false)
            await #expect(throws: CancellationError.self) { try await Self.cancelled { try filter.matches(row) } }
        }
    }

    @Test(
        "stages that hold rows look for a cancellation while they work on them",
        arguments: [
            "$sort", "$setWindowFields", "$bucketAuto", "$facet", "$unwind",
        ])
    func stages(name: String) async throws {
        let specifications: [String: BSON] = [
            "$sort": ["a": 1],
            "$setWindowFields": [
                "sortBy": ["a": 1], "output": ["m": ["$median": ["input": "$a", "method": "approximate"]]],
            ],
            "$bucketAuto": ["groupBy": "$a", "buckets": 3],
            "$facet": ["p": [["$match": ["a": -1]], ["$count": "n"]]],
            "$unwind": "$items",
        ]
        let stage = MongoDocument([.init(name, try #require(specifications[name]))])
        let pipeline = try Pipeline(parsing: [stage, ["$match": ["nothing": 1]]])
        let rows = (0..<5000).map { Row(["a": .int32(Int32($0 * 7919 % 5003)), "items": [1, 2, 3]]) }
        let run: @Sendable () throws -> Int = {
            var count = 0
            var cursor = try pipeline.rows(
                from: RowCursor(rows), options: PipelineOptions(now: DateTime(milliseconds: 0)))
            while try cursor.next() != nil { count += 1 }
            return count
        }
        #expect(try run() == 0)
        await #expect(throws: CancellationError.self) { try await Self.cancelled(run) }
    }

    @Test("the pipelines of a $facet share the values of a stored document")
    func sharedDocuments() throws {
        let body = try MongoDocument(dictionaryLiteral: ("a", [1, 2, 3])).stored()
        let (shared, other) = (Row(body: body, id: .int32(1)).shared, Row(body: body, id: .int32(1)))
        #expect(shared.document == other.document)
        let copy = shared
        #expect(Self.address(shared.document) == Self.address(copy.document))
        let held = (other.document, other.document)
        #expect(Self.address(held.0) != Self.address(held.1))
        let facet = MongoDocument(
            dictionaryLiteral: ("$facet", ["p": [["$match": [:]]], "q": [["$sort": ["_id": 1]]]]))
        var rows = try Pipeline(parsing: [facet]).rows(
            from: RowCursor([other]), options: PipelineOptions(now: DateTime(milliseconds: 0)))
        let result = try #require(try rows.next()).document
        guard case .array(let p)? = result["p"], case .array(let q)? = result["q"], case .document(let one)? = p.first,
            case .document(let two)? = q.first
        else { throw MongoError(code: 0, "not two arrays of documents") }
        #expect(Self.address(one) == Self.address(two))
    }

    private static func address(_ document: MongoDocument) -> UInt {
        unsafe document.members.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }
}
