import SealiteValues
import Testing

@testable import SealiteMongo

/// The codes and the values at the edges of operators are those of MongoDB 8.
@Suite("codes and edges of expressions")
struct ExpressionCodeTests {
    private func value(_ expression: BSON, _ document: MongoDocument = [:]) throws -> BSON? {
        try AggregationExpression(parsing: expression).value(of: Row(document), now: DateTime(milliseconds: 0))
    }

    private func code(_ expression: BSON, _ document: MongoDocument = [:]) -> Int? {
        do {
            _ = try value(expression, document)
            return nil
        } catch {
            return (error as? MongoError)?.code
        }
    }

    @Test(
        "an invalid operand has the code of its operator",
        arguments: [
            (["$map": ["input": [1]]], 16882), (["$map": ["in": 1]], 16880),
            (["$map": ["input": [], "as": 1, "in": 1]], 9),
            (["$filter": ["input": [1]]], 28650), (["$filter": ["input": [], "cond": 1, "x": 1]], 28647),
            (["$reduce": ["input": [], "in": 1]], 40078), (["$zip": ["inputs": [[1]], "x": 1]], 34464),
            (["$sortArray": ["input": [1]]], 2_942_503), (["$sortArray": ["input": [1], "sortBy": 2]], 2_942_506),
            (["$sortArray": ["input": [1], "sortBy": ["a": "x"]]], 2_942_505),
            (["$setEquals": [[1]]], 17045), (["$setEquals": [[1], 1]], 5_887_502),
            (["$setDifference": [[1], 1]], 17049), (["$setIsSubset": [[1], 1]], 17042),
            (["$indexOfArray": [[1], 1, -1]], 9_711_601), (["$indexOfArray": [[1], 1, 0.5]], 9_711_600),
            (["$slice": [[1], 0.5]], 28726), (["$rand": 1], 10065), (["$rand": ["a": 1]], 3_040_501),
            (["$getField": ["field": "a"]], 3_041_703), (["$getField": 1], 3_041_704),
            (["$setField": ["field": 1, "input": "$a", "value": 1]], 4_161_107),
            (["$setField": ["field": ["$concat": ["a", "b"]], "input": "$a", "value": 1]], 4_161_106),
            (["$unsetField": ["field": "$a", "input": "$a"]], 168),
            (["$unsetField": ["field": "a\u{0}", "input": "$a"]], 9_534_700),
            (["$dateFromParts": ["year": 2017, "isoWeekYear": 2017]], 40489),
            (["$regexMatch": ["input": "a", "regex": "a", "options": "\u{0}"]], 51110),
            (["$regexMatch": ["input": .null, "regex": "["]], 51111),
            (["$substrBytes": ["abc", .double(.nan), 1]], 31109), (["$meta": 1], 17307), (["$meta": "a"], 17308),
            (["$meta": "textScore"], 40218), ("$$$", 9),
        ] as [(BSON, Int)])
    func codes(_ expression: BSON, _ expected: Int) { #expect(code(expression) == expected) }

    @Test("the first null or value of another type of $setUnion decides")
    func unionOrder() throws {
        #expect(try value(["$setUnion": ["$a", "$b"]], ["a": .null, "b": 1]) == .null)
        #expect(code(["$setUnion": ["$a", "$b"]], ["a": 1, "b": .null]) == 17043)
    }

    @Test("the name of $getField may be computed, that of $setField may not")
    func fieldNames() throws {
        let document: MongoDocument = ["n": "x", "o": ["x": 7]]
        #expect(try value(["$getField": ["field": "$n", "input": "$o"]], document) == 7)
        let literal: BSON = ["$setField": ["field": ["$literal": "$y"], "input": "$o", "value": 1]]
        #expect(try value(literal, document) == ["x": 7, "$y": 1])
    }

    @Test("$indexOfCP finds parts that begin before the end")
    func codePoints() throws {
        #expect(try value(["$indexOfCP": ["hello", "llo", 0, 3]]) == 2)
        #expect(try value(["$indexOfCP": ["hello", "", 5]]) == -1)
        #expect(try value(["$indexOfCP": ["", ""]]) == 0)
    }

    @Test("strings are made of doubles with six digits, and of timestamps with the day of the month in two places")
    func coercion() throws {
        #expect(try value(["$toUpper": .double(1_000_000)]) == "1E+06")
        #expect(try value(["$substrCP": [.double(1.234567), 0, 9]]) == "1.23457")
        #expect(try value(["$toLower": .double(-.infinity)]) == "-inf")
        let time = BSON.timestamp(Timestamp(seconds: 1, increment: 7))
        #expect(try value(["$toLower": time]) == "jan  1 00:00:01:7")
        #expect(try value(["$toString": .double(1e15)]) == "1000000000000000")
        #expect(try value(["$substrBytes": ["hello", .decimal128(Decimal128("1.5")!), 9]]) == "llo")
    }

    @Test("sums of doubles and decimals are exact to 34 digits")
    func sums() throws {
        #expect(try value(["$sum": [1.0, .decimal128(0)]])?.extendedJSONText == "1")
        let text = try value(["$sum": [0.1, .decimal128(0)]])?.extendedJSONText
        #expect(text == "0.1000000000000000055511151231257827")
        #expect(try value(["$avg": [.int64(.max), .int64(.min)]]) == .double(0))
    }

    @Test("a hashed key is that of a server, which ignores fractions")
    func hashes() throws {
        // The example of MongoDB's manual.
        #expect(try value(["$toHashedIndexKey": "string to hash"]) == .int64(763_543_691_661_428_748))
        #expect(try value(["$toHashedIndexKey": 5]) == .int64(4_470_791_281_878_691_347))
        #expect(try value(["$toHashedIndexKey": 5.9]) == .int64(4_470_791_281_878_691_347))
        #expect(try value(["$toHashedIndexKey": "$missing"]) == .int64(2_338_878_944_348_059_895))
    }

    @Test("a text of a date may have its year behind the time and the time zone")
    func dateText() throws {
        let date = try value(["$toDate": "WED jan 31 12:05:28 +03:30 1996"])
        #expect(date == .datetime(DateTime(milliseconds: 823_077_328_000)))
    }
}

extension BSON {
    fileprivate var extendedJSONText: String? {
        if case .decimal128(let number) = self { number.description } else { nil }
    }
}
