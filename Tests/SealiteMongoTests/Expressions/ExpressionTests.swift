import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("aggregation expressions")
struct ExpressionTests {
    private func value(_ expression: BSON, _ document: MongoDocument = [:]) throws -> BSON? {
        try AggregationExpression(parsing: expression).value(of: Row(document), now: DateTime(milliseconds: 86_400_000))
    }

    private func code(_ expression: BSON, _ document: MongoDocument = [:]) -> Int? {
        do {
            _ = try value(expression, document)
            return nil
        } catch {
            return (error as? MongoError)?.code
        }
    }

    @Test("an unknown operator is refused by name when it is read")
    func unknownOperator() {
        #expect(code(["$cond": [false, ["$frobnicate": 1], 1]]) == 168)
    }

    @Test("a wrong number of arguments is refused when it is read")
    func arity() {
        #expect(code(["$cond": [true, 1, ["$divide": ["$a", 1, 2]]]]) == 16020)
        #expect(code(["$range": [1]]) == 28667)
    }

    @Test("$$NOW is the time of the run, and $$REMOVE is missing")
    func systemVariables() throws {
        #expect(try value(["$year": "$$NOW"]) == 1970)
        #expect(try value(["a": "$$REMOVE", "b": 1]) == ["b": 1])
        #expect(code("$$CLUSTER_TIME") == 10_071_200)
    }

    @Test("a variable is seen inside of its operator alone")
    func scopes() throws {
        let shadowed: BSON = [
            "$let": [
                "vars": ["x": 1],
                "in": [
                    "$add": [
                        [
                            "$let": [
                                "vars": ["x": 10],
                                "in": ["$sum": ["$map": ["input": [1, 2], "as": "x", "in": "$$x"]]],
                            ]
                        ], "$$x",
                    ]
                ],
            ]
        ]
        #expect(try value(shadowed) == 4)
        #expect(code(["$add": [["$let": ["vars": ["x": 1], "in": "$$x"]], "$$x"]]) == 17276)
    }

    @Test("expressions in each other are limited, and so is what they make")
    func limits() {
        var nested: BSON = "$a"
        for _ in 0..<190 { nested = ["$ifNull": [nested, 1]] }
        #expect(code(nested) == nil)
        for _ in 0..<20 { nested = ["$ifNull": [nested, 1]] }
        #expect(code(nested) == 15)
        #expect(code(["$range": [0, 2_000_000_000]]) == 146)
        let deeper: BSON = ["$reduce": ["input": ["$range": [0, 5000]], "initialValue": [], "in": ["$$value"]]]
        #expect(code(deeper) == 15)
        // Forty steps would make more values than any memory holds, in forty arrays.
        let doubling: BSON = [
            "$reduce": ["input": ["$range": [0, 40]], "initialValue": [1], "in": ["$$value", "$$value"]]
        ]
        #expect(code(doubling) == 146)
        let loops: BSON = ["$size": ["$map": ["input": ["$range": [0, 4_000_000]], "in": ["$range": [0, 1000]]]]]
        #expect(code(loops) == 146)
        let long = String(repeating: "a", count: 100_000)
        let squared: BSON = ["$replaceAll": ["input": "$a", "find": "a", "replacement": "$a"]]
        #expect(code(squared, ["a": .string(long)]) == 16493)
    }

    @Test("sums of integers are exact, and doubles lose nothing that cancels out")
    func sums() throws {
        #expect(try value(["$add": [.int64(.max), 1, -1]]) == .int64(.max))
        #expect(try value(["$sum": [1e100, 1.0, -1e100]]) == 1.0)
        #expect(try value(["$add": [2_147_483_647, 1]]) == .int64(2_147_483_648))
    }

    @Test(
        "functions of decimals are right to the last digit",
        arguments: [
            ("$exp", "1", "2.718281828459045235360287471352662"), ("$ln", "2", "0.6931471805599453094172321214581766"),
            ("$sqrt", "2", "1.414213562373095048801688724209698"),
            ("$sin", "1", "0.8414709848078965066525023216302990"),
            ("$cos", "100", "0.8623188722876839341019385139508425"),
            ("$atan", "1", "0.7853981633974483096156608458198757"),
            ("$acos", "0.5", "1.047197551196597746154214461093168"),
            ("$tanh", "1", "0.7615941559557648881194582826047936"),
            ("$asinh", "1", "0.8813735870195430252326093249797923"),
            ("$log10", "2", "0.3010299956639811952137388947244930"),
            ("$atanh", "0.5", "0.5493061443340548456976226184612629"),
        ])
    func decimals(_ name: String, _ operand: String, _ expected: String) throws {
        let operand = BSON.decimal128(try #require(Decimal128(operand)))
        let result = try value(.document([name: operand]))
        #expect(result.map { $0.isSame(as: .decimal128(Decimal128(expected) ?? .nan)) } == true, "\(result ?? .null)")
    }

    @Test("percentiles are those of the nearest rank")
    func percentiles() throws {
        let input: BSON = [5, "x", 1, 3, 4, .null]
        #expect(try value(["$median": ["input": input, "method": "approximate"]]) == 3.0)
        let several: BSON = ["$percentile": ["input": input, "p": [0, 0.75, 1], "method": "approximate"]]
        #expect(try value(several) == [1.0, 4.0, 5.0])
        #expect(try value(["$median": ["input": "$none", "method": "approximate"]]) == .null)
    }

    @Test("an offset in minutes in the text of a date has at most one sign")
    func signs() throws {
        func minutes(_ offset: String) -> BSON {
            ["$dateFromString": ["dateString": .string("2021-01-11\(offset)"), "format": "%Y-%m-%d%Z"]]
        }
        let date = try #require(DateTime(iso: "2021-01-11T00:05:00Z"))
        #expect(try value(minutes("-5")) == .datetime(date))
        #expect(code(minutes("-+5")) == 241)
    }

    @Test("a time zone that a format has must be in the text, and may have a name that begins with Z")
    func zonesOfTexts() throws {
        func date(_ zone: String) -> BSON {
            ["$dateFromString": ["dateString": .string("2021-01-11\(zone)"), "format": "%Y-%m-%d%z"]]
        }
        let midnight = BSON.datetime(try #require(DateTime(iso: "2021-01-11")))
        for zone in ["Z", "z", "Zulu", "UTC", "GMT"] { #expect(try value(date(zone)) == midnight, "\(zone)") }
        #expect(code(date("")) == 241)
        #expect(code(date("Zzz")) == 241)
    }

    @Test("the base of a logarithm is compared with 1 as the decimal that it is")
    func decimalBase() throws {
        let (base, one) = (Decimal128("1.0000000000000000000000001") ?? .nan, Decimal128("1.0") ?? .nan)
        #expect(code(["$log": [2, .decimal128(base)]]) == nil)
        #expect(code(["$log": [2, .decimal128(one)]]) == 28759)
    }

    @Test("a path crosses arrays of documents, and a number in it is a name")
    func paths() throws {
        let document: MongoDocument = ["a": [["b": 1], ["b": [2, 3]], 4, [["b": 5]], ["c": 6]]]
        #expect(try value("$a.b", document) == [1, [2, 3]])
        #expect(try value("$a.0", document) == [])
    }
}
