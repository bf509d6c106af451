import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("pipelines")
struct PipelineTests {
    private let rows = (0..<1000).map { number in
        Row(["_id": BSON(number), "n": BSON((number * 7919) % 1000), "g": BSON(number % 10)])
    }

    private func run(_ pipeline: [BSON], memoryLimit: Int = 256 << 20) throws -> [BSON] {
        try PipelineCases.rows(of: pipeline, over: rows, memoryLimit: memoryLimit)
    }

    private func code(_ pipeline: [BSON], memoryLimit: Int = 256 << 20) -> Int? {
        do {
            _ = try run(pipeline, memoryLimit: memoryLimit)
            return nil
        } catch {
            return (error as? MongoError)?.code
        }
    }

    @Test("an unknown stage is refused by name")
    func unknownStage() {
        let error = #expect(throws: MongoError.self) { try run([["$shuffle": [:]]]) }
        #expect(error?.code == 40324)
        #expect(error?.message.contains("$shuffle") == true)
    }

    @Test("a group key that is an object of one member has null for a missing value; larger ones leave it out")
    func missingInKeys() throws {
        let groups = { (key: BSON) in
            try PipelineCases.rows(
                of: [["$group": ["_id": key]]], over: [Row(["_id": 1]), Row(["_id": 2, "a": .null])],
                memoryLimit: 1 << 20)
        }
        #expect(try groups(["k": "$a"]) == [["_id": ["k": .null]]])
        #expect(try groups(["k": "$$REMOVE"]) == [["_id": ["k": .null]]])
        #expect(try groups(["k": "$a", "l": "$b"]) == [["_id": [:]], ["_id": ["k": .null]]])
        #expect(try groups(["k": ["l": "$b"]]) == [["_id": ["k": [:]]]])
    }

    @Test("boundaries of $bucket that are no array have a code of their own")
    func boundaries() {
        #expect(code([["$bucket": ["groupBy": "$n", "boundaries": 5]]]) == 40200)
    }

    @Test("numbers of rows that a stage can't take have the codes of the server")
    func numbersOfRows() throws {
        for value: BSON in [-1, 1.5, "1", .null, .double(.nan), ["n": 1], 1e19] {
            #expect(code([["$skip": value]]) == 5_107_200 && code([["$limit": value]]) == 5_107_201)
        }
        #expect(code([["$limit": 0]]) == 15958 && code([["$skip": 0]]) == nil)
        for (name, expected): (BSON, Int) in [
            (1, 40156), ("", 40157), ("$a", 40158), ("a.b", 40160), ("_id", 9_039_800),
        ] {
            #expect(code([["$count": name]]) == expected)
        }
    }

    @Test("$sample takes numbers without their fraction, and decimals rounded to the even one")
    func sizesOfSamples() throws {
        let sizes: [(BSON, Int)] = [
            (2.9, 2), (.decimal128(try #require(Decimal128("2.5"))), 2),
            (.decimal128(try #require(Decimal128("3.5"))), 4), (.double(.infinity), 1000),
        ]
        for (size, count) in sizes { #expect(try run([["$sample": ["size": size]]]).count == count) }
        for size: BSON in [0, -1, 0.9, .double(.nan)] { #expect(code([["$sample": ["size": size]]]) == 28747) }
        #expect(code([["$sample": 5]]) == 28745 && code([["$sample": ["size": "5"]]]) == 28746)
        #expect(code([["$sample": ["size": 5, "n": 1]]]) == 28748 && code([["$sample": [:]]]) == 28749)
    }

    @Test("a sort with a limit behind it gives what the sort alone gives first", arguments: [1, 2, 7, 100, 2000])
    func limitedSort(_ limit: Int) throws {
        let sort: BSON = ["$sort": ["g": -1, "n": 1]]
        let all = try run([sort])
        #expect(try run([sort, ["$limit": BSON(limit)]]) == Array(all.prefix(limit)))
    }

    @Test("a limited sort holds no more rows than the limit")
    func memoryOfLimitedSort() throws {
        let sort: BSON = ["$sort": ["n": 1]]
        #expect(code([sort], memoryLimit: 50_000) == 146)
        #expect(try run([sort, ["$limit": 5]], memoryLimit: 50_000).count == 5)
    }

    @Test(
        "what a stage holds is limited",
        arguments: [
            ["$group": ["_id": "$_id", "all": ["$push": "$$ROOT"]]], ["$facet": ["a": []]],
            ["$setWindowFields": ["output": ["all": ["$push": "$n"]]]],
            ["$bucketAuto": ["groupBy": "$n", "buckets": 3]],
            ["$sample": ["size": 900]], ["$densify": ["field": "n", "range": ["step": 1, "bounds": "full"]]],
            ["$lookup": ["from": "c", "localField": "g", "foreignField": "g", "as": "all"]],
        ] as [BSON])
    func memory(_ stage: BSON) throws {
        #expect(code([stage], memoryLimit: 30_000) == 146)
        #expect(code([stage]) == nil)
    }

    @Test("a window of sort values needs an ascending order", arguments: [(1, nil), (-1, 8947401)] as [(Int32, Int?)])
    func orderOfRange(direction: Int32, expected: Int?) {
        let output: BSON = ["sum": ["$sum": "$n", "window": ["range": [-1, 1]]]]
        #expect(code([["$setWindowFields": ["sortBy": ["n": .int32(direction)], "output": output]]]) == expected)
    }

    @Test("the accumulated values of windows count before they are added up")
    func memoryOfInputs() {
        let sum: BSON = ["$sum": ["$range": [0, ["$add": ["$n", 1000]]]]]
        #expect(code([["$setWindowFields": ["output": ["sum": sum]]]], memoryLimit: 5 << 20) == 146)
    }

    @Test(
        "the values of a window function count while they are made",
        arguments: [
            ["all": ["$push": "$_id", "window": ["range": ["unbounded", 0], "unit": "millisecond"]]],
            ["all": ["$shift": ["output": ["$concatArrays": [["$range": [0, 1000]], "$list"]], "by": 0]]],
        ] as [BSON])
    func memoryOfWindows(_ output: BSON) {
        // The value of the last row can't be made.
        let rows = (0..<300).map { number -> Row in
            let isLast = number == 299
            let (time, list): (Int64, BSON) = (isLast ? .max : Int64(number), isLast ? 0 : [])
            return Row(["_id": BSON(number), "t": .datetime(DateTime(milliseconds: time)), "list": list])
        }
        let stage: BSON = ["$setWindowFields": ["sortBy": ["t": 1], "output": output]]
        let error = #expect(throws: MongoError.self) {
            try PipelineCases.rows(of: [stage], over: rows, memoryLimit: 500_000)
        }
        #expect(error?.code == 146)
    }

    @Test("what the pipeline of $lookup holds for a row counts no more at the next row")
    func memoryOfNestedPipelines() throws {
        let inner: BSON = ["$lookup": ["from": "own", "localField": "_id", "foreignField": "g", "as": "rows"]]
        let pipeline: BSON = [
            ["$sort": ["n": 1]], ["$group": ["_id": "$g", "all": ["$push": "$n"]]], inner, ["$facet": ["a": []]],
        ]
        let lookup: BSON = ["$lookup": ["from": "own", "let": ["g": "$g"], "pipeline": pipeline, "as": "found"]]
        #expect(try run([["$limit": 50], lookup], memoryLimit: 5 << 20).count == 50)
    }

    @Test(
        "what a row finds counts while it is looked up, and no more at the next row",
        arguments: [
            ["$lookup": ["from": "c", "localField": "none", "foreignField": "none", "as": "all"]],
            [
                "$graphLookup": [
                    "from": "c", "startWith": "$none", "connectFromField": "n", "connectToField": "none", "maxDepth": 0,
                    "as": "all",
                ]
            ],
        ] as [BSON])
    func memoryOfFound(_ stage: BSON) throws {
        #expect(code([["$limit": 1], stage], memoryLimit: 300_000) == 146)
        #expect(try run([["$limit": 5], stage], memoryLimit: 500_000).count == 5)
    }

    @Test("a document that grows too large by what is found for it is refused")
    func sizeOfFound() {
        let text = BSON.string(String(repeating: "a", count: 1 << 20))
        let rows = (0..<10).map { Row(["_id": BSON($0), "text": text]) }
        let lookups = (0..<7).map { number -> BSON in
            let name = BSON.string("found\(number)")
            return ["$lookup": ["from": "c", "localField": "none", "foreignField": "none", "as": name]]
        }
        let error = #expect(throws: MongoError.self) {
            try PipelineCases.rows(of: lookups, over: rows, memoryLimit: 1 << 40)
        }
        #expect(error?.code == 146)
    }

    @Test("rows are pulled one by one: a limit asks for no more than it gives")
    func streaming() throws {
        var asked = 0
        let input = RowCursor {
            asked += 1
            return Row(["_id": BSON(asked)])
        }
        let pipeline = try Pipeline(parsing: [["$match": ["_id": ["$gt": 10]]], ["$limit": 3]])
        var output = try pipeline.rows(from: input, options: PipelineOptions(now: DateTime(milliseconds: 0)))
        var count = 0
        while try output.next() != nil { count += 1 }
        #expect(count == 3)
        #expect(asked == 13)
    }

    @Test("documents that grow deeper with each stage are refused")
    func depth() {
        let deeper: BSON = ["$replaceRoot": ["newRoot": ["a": "$$ROOT"]]]
        #expect(code(Array(repeating: deeper, count: 600)) == 15)
        #expect(code(Array(repeating: deeper, count: 100)) == nil)
    }

    @Test("a pipeline of too many stages, or too many in each other, is refused")
    func size() {
        #expect(code(Array(repeating: ["$skip": 0], count: 1001)) == 7_749_501)
        var nested: BSON = [["$skip": 0]]
        for _ in 0..<30 { nested = [["$unionWith": ["coll": "c", "pipeline": nested]]] }
        #expect(code(nested.asArray ?? []) == 232)
    }

    @Test("$out and $merge hand their rows to the store")
    func outputs() throws {
        final class Recorder: PipelineStore {
            var replaced: [String: Int] = [:]
            var merged: [String: [String]] = [:]

            func rows(of collection: String) -> RowCursor { RowCursor([]) }

            func replace(_ collection: String, with rows: RowCursor) throws {
                var rows = rows
                while try rows.next() != nil { replaced[collection, default: 0] += 1 }
            }

            func merge(_ rows: RowCursor, into specification: MergeSpecification) throws {
                merged[specification.collection] = specification.on
            }
        }
        let recorder = Recorder()
        let options = PipelineOptions(now: DateTime(milliseconds: 0))
        for stage: MongoDocument in [["$out": "copy"], ["$merge": ["into": "other", "on": ["a.b", "c"]]]] {
            var output = try Pipeline(parsing: [["$limit": 4], stage])
                .rows(from: RowCursor(rows), options: options, store: recorder)
            #expect(try output.next() == nil)
        }
        #expect(recorder.replaced == ["copy": 4])
        #expect(recorder.merged == ["other": ["a.b", "c"]])
        #expect(code([["$out": "copy"], ["$limit": 1]]) == 40601)
        // A collection of another scope.
        #expect(code([["$out": ["db": "other", "coll": "copy"]]]) == 20)
        #expect(code([["$merge": ["into": ["db": "other", "coll": "copy"]]]]) == 20)
    }

    @Test("a mean of a group adds integers exactly, one of an expression their nearest doubles")
    func means() throws {
        let rows = [Row(["_id": 1, "a": .int64(.max)]), Row(["_id": 2, "a": .int64(.min)])]
        let group = try PipelineCases.rows(of: [["$group": ["_id": .null, "m": ["$avg": "$a"]]]], over: rows)
        #expect(group.first?.members?["m"] == .double(-0.5))
        let items: BSON = [.int64(.max), .int64(.min)]
        let expression = try PipelineCases.rows(of: [["$project": ["m": ["$avg": items]]]], over: [Row(["_id": 1])])
        #expect(expression.first?.members?["m"] == .double(0))
    }

    @Test("a variable of $merge that has no value for a document is an error")
    func missingVariable() throws {
        let pipeline = try Pipeline(parsing: [["$set": ["b": "$$v"]]], variables: ["v": "$a"])
        let error = #expect(throws: MongoError.self) {
            try pipeline.rows(
                from: RowCursor([]), options: PipelineOptions(now: DateTime(milliseconds: 0)),
                variablesOf: Row(["c": 1]))
        }
        #expect(error?.code == 17276)
    }

    @Test("variables of $lookup are seen by filters of its pipeline, also where they are missing")
    func lookupVariables() throws {
        let lookup: BSON = [
            "$lookup": [
                "from": "own", "let": ["g": "$g", "none": "$none"],
                "pipeline": [
                    [
                        "$match": [
                            "$expr": ["$and": [["$eq": ["$_id", "$$g"]], ["$eq": [["$type": "$$none"], "missing"]]]]
                        ]
                    ],
                    ["$project": ["_id": 1]],
                ], "as": "found",
            ]
        ]
        let found = try run([["$match": ["_id": 23]], lookup])
        #expect(found.first?.asDocument?["found"] == [["_id": 3]])
    }

    @Test("messages hold no value of a document")
    func messages() {
        let secret = [Row(["_id": 1, "a": "secret value"])]
        for expression: BSON in [
            ["$add": ["$a", 1]], ["$toInt": "$a"], ["$arrayElemAt": ["$a", 0]],
            ["$dateFromString": ["dateString": "$a"]],
            ["$substrCP": ["$a", "$a", 1]], ["$hour": ["date": "$_id", "timezone": "$a"]], ["$divide": ["$a", 2]],
        ] {
            let error = #expect(throws: MongoError.self) {
                try PipelineCases.rows(of: [["$set": ["b": expression]]], over: secret)
            }
            #expect(error?.message.contains("secret") == false, "\(expression)")
        }
    }
}
