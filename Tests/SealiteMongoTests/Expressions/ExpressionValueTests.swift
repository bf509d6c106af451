import SealiteValues
import Testing

@testable import SealiteMongo

@Suite("values and error codes of expressions, as in MongoDB 8")
struct ExpressionValueTests {
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

    private func decimal(_ text: String) throws -> BSON { .decimal128(try #require(Decimal128(text))) }

    @Test("branches that constants exclude aren't evaluated, but read")
    func unreachedBranches() throws {
        let failing: BSON = ["$divide": [7, 0]]
        #expect(
            try value([
                "$switch": ["branches": [["case": true, "then": "a"], ["case": failing, "then": failing]]]
            ]) == "a")
        #expect(
            try value(["$switch": ["branches": [["case": 0, "then": failing]], "default": "b"]]) == "b")
        #expect(
            code(["$switch": ["branches": [["case": true, "then": 1], ["case": true, "then": ["$none": 1]]]]]) == 168)
        #expect(code(["$switch": ["branches": [["case": true, "then": 1]], "default": failing]]) == 2)
        #expect(try value(["$or": [["$divide": [1, "$x"]], true]], ["x": 0]) == true)
        #expect(try value(["$and": [["$divide": [1, "$x"]], false]], ["x": 0]) == false)
    }

    @Test("$dateToString without a format names the zone of times in UTC only")
    func datesWithoutFormat() throws {
        let date = BSON.datetime(DateTime(milliseconds: 1_000_000_000_000))
        #expect(try value(["$dateToString": ["date": date]]) == "2001-09-09T01:46:40.000Z")
        #expect(try value(["$dateToString": ["date": date, "timezone": "GMT"]]) == "2001-09-09T01:46:40.000Z")
        #expect(try value(["$dateToString": ["date": date, "timezone": "-03"]]) == "2001-09-08T22:46:40.000")
    }

    @Test("a day that the month doesn't have is no date", arguments: ["2021-02-29", "2021-11-31", "2100-02-29T01:00Z"])
    func impossibleDays(text: String) {
        #expect(code(["$toDate": .string(text)]) == 241)
        #expect(code(["$dateFromString": ["dateString": .string(text)]]) == 241)
    }

    @Test("rounding takes the exact value of a double, and fills the places of a decimal")
    func rounding() throws {
        #expect(try value(["$trunc": [0.57, 2]]) == 0.56)
        #expect(try value(["$round": [try decimal("7.5"), 3]]) == decimal("7.500"))
        #expect(try value(["$trunc": [try decimal("7.5"), 0]]) == decimal("7"))
        #expect(try value(["$ceil": try decimal("1E+40")]) == decimal("NaN"))
        #expect(try value(["$floor": try decimal("-Infinity")]) == decimal("NaN"))
        #expect(code(["$round": [1.5, "2"]]) == 16004)
        #expect(code(["$trunc": [1.5, .double(.infinity)]]) == 31109)
        #expect(code(["$trunc": [1.5, 0.5]]) == 51082)
        #expect(code(["$round": [1.5, 101]]) == 51083)
    }

    @Test("remainders with a double are doubles")
    func remainders() throws {
        #expect(try value(["$mod": [9, 4.0]]) == 1.0)
        #expect(try value(["$mod": [9, 4]]) == 1)
        #expect(code(["$mod": [try decimal("1"), 0]]) == 5_733_415)
        #expect(code(["$mod": [1.0, 0]]) == 16610)
    }

    @Test("exact results of decimals have no zeros at the end that the operands don't have")
    func exactDecimals() throws {
        #expect(try value(["$sqrt": try decimal("1.44")]) == decimal("1.2"))
        #expect(try value(["$sqrt": try decimal("16.0000")]) == decimal("4.00"))
        #expect(try value(["$log10": try decimal("1000")]) == decimal("3"))
        #expect(try value(["$exp": try decimal("-0")]) == decimal("1"))
        #expect(try value(["$exp": try decimal("-1E+9")]) == decimal("0E-6176"))
        #expect(try value(["$pow": [try decimal("-0"), 5]]) == decimal("0E-6176"))
        #expect(code(["$pow": ["a", 1]]) == 28762)
        #expect(code(["$pow": [1, "a"]]) == 28763)
    }

    @Test("$sigmoid is 1/(1 + e⁻ˣ)")
    func sigmoid() throws {
        #expect(try value(["$sigmoid": "$x"]) == .null)
        #expect(try value(["$sigmoid": 0]) == 0.5)
        #expect(try value(["$sigmoid": -800]) == 0.0)
        #expect(try value(["$sigmoid": try decimal("0")]) == decimal("0.5"))
        #expect(try value(["$sigmoid": try decimal("-1E+6")]) == decimal("0E-6176"))
        #expect(code(["$sigmoid": [1]]) == 14)
        #expect(code(["$sigmoid": "a"]) == 14)
    }

    @Test("$subtract rounds the milliseconds that it takes from a date")
    func dateDifferences() throws {
        let date = BSON.datetime(DateTime(milliseconds: 1000))
        #expect(try value(["$subtract": [date, 4.5]]) == .datetime(DateTime(milliseconds: 995)))
        #expect(try value(["$subtract": [date, -4.5]]) == .datetime(DateTime(milliseconds: 1005)))
        #expect(try value(["$subtract": [date, try decimal("4.5")]]) == .datetime(DateTime(milliseconds: 996)))
    }

    @Test("numbers are converted to binary data and back, in either byte order")
    func binaryNumbers() throws {
        func convert(_ input: BSON, _ to: BSON, _ order: BSON? = nil) -> BSON {
            var members: MongoDocument = ["input": input, "to": to]
            if let order { members["byteOrder"] = order }
            return ["$convert": .document(members)]
        }
        func binary(_ bytes: [UInt8], _ subtype: UInt8 = 0) -> BSON { .binary(Binary(bytes, subtype: subtype)) }
        #expect(try value(convert(258, "binData")) == binary([2, 1, 0, 0]))
        #expect(try value(convert(258, ["type": "binData", "subtype": 128], "big")) == binary([0, 0, 1, 2], 128))
        #expect(try value(convert(binary([0xFE, 0xFF]), "int")) == -2)
        #expect(try value(convert(binary([1, 0]), "long", "big")) == .int64(256))
        #expect(try value(convert(1.5, "binData", "big")) == binary([0x3F, 0xF8, 0, 0, 0, 0, 0, 0]))
        #expect(try value(["$toDouble": binary([0, 0, 0xC0, 0x3F])]) == 1.5)
        #expect(code(["$toInt": binary([0, 0, 0])]) == 241)
        #expect(code(["$toInt": binary([UInt8](repeating: 0, count: 8))]) == 241)
        #expect(code(convert(1, "binData", "middle")) == 9_130_002)
        #expect(code(convert(1, "binData", 1)) == 9_130_001)
        #expect(code(convert(1, ["type": "binData", "subtype": 0.5])) == 4_341_106)
        #expect(code(convert(1, ["type": "binData", "subtype": 100])) == 4_341_107)
        #expect(code(convert(1, ["type": "binData", "subtype": "a"])) == 4_341_108)
        #expect(code(convert(binary([1], 5), "binData")) == 241)
        #expect(code(convert(1, 0)) == 241)
        #expect(try value(convert(.null, 999)) == .null)
    }
}
