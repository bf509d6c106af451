import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("Aggregation expressions")
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

    @Test("An unknown operator is refused by name when it is read")
    func unknownOperator() {
        #expect(code(["$cond": [false, ["$frobnicate": 1], 1]]) == 168)
    }

    @Test("$$NOW is the time of the run, and $$REMOVE is missing")
    func systemVariables() throws {
        #expect(try value(["$year": "$$NOW"]) == 1970)
        #expect(try value(["a": "$$REMOVE", "b": 1]) == ["b": 1])
        #expect(code("$$CLUSTER_TIME") == 17276)
    }

    @Test("A variable is seen inside of its operator alone")
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

    @Test("Expressions in each other are limited, and so is what they make")
    func limits() {
        var nested: BSON = 1
        for _ in 0..<300 { nested = ["$abs": nested] }
        #expect(code(nested) == 15)
        #expect(code(["$range": [0, 2_000_000_000]]) == 146)
        let deeper: BSON = ["$reduce": ["input": ["$range": [0, 5000]], "initialValue": [], "in": ["$$value"]]]
        #expect(code(deeper) == 15)
        let long = String(repeating: "a", count: 100_000)
        #expect(code(["$replaceAll": ["input": "$a", "find": "a", "replacement": "$a"]], ["a": .string(long)]) == 146)
    }

    @Test("Sums of integers are exact, and doubles lose nothing that cancels out")
    func sums() throws {
        #expect(try value(["$add": [.int64(.max), 1, -1]]) == .int64(.max))
        #expect(try value(["$sum": [1e100, 1.0, -1e100]]) == 1.0)
        #expect(try value(["$add": [2_147_483_647, 1]]) == .int64(2_147_483_648))
    }

    @Test(
        "Functions of decimals are right to the last digit",
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

    @Test("A path crosses arrays of documents, and a number in it is a name")
    func paths() throws {
        let document: MongoDocument = ["a": [["b": 1], ["b": [2, 3]], 4, [["b": 5]], ["c": 6]]]
        #expect(try value("$a.b", document) == [1, [2, 3]])
        #expect(try value("$a.0", document) == [])
    }
}
