import SealiteJSON
import SealiteTestSupport
import SealiteValues
import Testing

@Suite("values as they are stored")
struct StoredValueTests {
    @Test(
        "each type has its stored form",
        arguments: [
            (1, "1"), (.int64(1), #"{"$numberLong":"1"}"#), (.int64(1 << 40), "1099511627776"), (3.0, "3.0"),
            (1e300, "1.0E+300"), (-0.0, "-0.0"), (.double(.nan), #"{"$numberDouble":"NaN"}"#), ("a", #""a""#),
            (.datetime(DateTime(milliseconds: 0)), #"{"$date":"1970-01-01T00:00:00.000Z"}"#),
            (.datetime(DateTime(milliseconds: -62_167_219_200_001)), #"{"$date":{"$numberLong":"-62167219200001"}}"#),
            (.binary(Binary([255], subtype: 0)), #"{"$binary":{"base64":"/w==","subType":"00"}}"#),
            (.regex(Regex("a", options: "mi")), #"{"$regularExpression":{"pattern":"a","options":"im"}}"#),
            (.timestamp(Timestamp(seconds: 1, increment: 4_294_967_295)), #"{"$timestamp":{"t":1,"i":4294967295}}"#),
            (RandomValues.decimal("1.50"), #"{"$numberDecimal":"1.50"}"#), (.minKey, #"{"$minKey":1}"#),
            (.codeWithScope("f", ["a": 1]), #"{"$code":"f","$scope":{"a":1}}"#),
            (.null, "null"), ([true, ["a": nil]], #"[true,{"a":null}]"#),
        ] as [(BSON, String)])
    func forms(value: BSON, text: String) throws {
        let stored = try value.stored()
        let json = try JSONBSerializer.text(of: stored.span)
        #expect(String(decoding: json, as: UTF8.self) == text)
        #expect(try read(stored) == value)
    }

    @Test("a UUID has a form of its own")
    func uuid() throws {
        let binary = try #require(Binary(uuid: "73FFD264-44b3-4c69-90e8-e7d1dfc035d4"))
        let stored = try BSON.binary(binary).stored()
        let json = try JSONBSerializer.text(of: stored.span)
        #expect(String(decoding: json, as: UTF8.self) == #"{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}"#)
        #expect(try read(stored) == .binary(binary))
    }

    @Test(
        "what only resembles a wrapper is a document",
        arguments: [
            #"{"$oid":"x"}"#, #"{"$oid":"65f1c0ffee0123456789abcd","a":1}"#, #"{"$date":42}"#,
            #"{"$date":13563513305010}"#,
            #"{"$numberLong":1}"#, #"{"$scope":{}}"#, #"{"$code":1,"$scope":{}}"#, #"{"$minKey":2}"#, #"{"$foo":1}"#,
            #"{"a":1,"$oid":"65f1c0ffee0123456789abcd"}"#, #"{"$binary":{"base64":"","subType":"00","a":1}}"#,
            #"{"$date":"2026-02-30T00:00:00.000Z"}"#, #"{"$date":["a"]}"#,
        ])
    func resemblance(text: String) throws {
        let stored = try JSONB.parse(Array(text.utf8))
        let inPlace = JSONBElement(root: stored.span).map { StoredValue($0, in: stored.span).type }
        #expect(inPlace == .document)
        let value = try read(stored)
        #expect(value.type == .document)
    }

    @Test("other programs' forms of wrappers are read")
    func otherForms() throws {
        let forms: [(String, BSON)] = [
            (#"{"$date":{"$numberLong":"5"}}"#, .datetime(DateTime(milliseconds: 5))),
            (#"{"$date":"2026-01-01"}"#, .datetime(DateTime(milliseconds: 1_767_225_600_000))),
            (#"{"$date":"2026-01-01T01:00:00+01:00"}"#, .datetime(DateTime(milliseconds: 1_767_225_600_000))),
            (#"{"$numberInt":"7"}"#, 7), (#"{"$scope":{},"$code":"f"}"#, .codeWithScope("f", [:])),
            (#"{"$symbol":"s"}"#, .symbol("s")), (#"{"$undefined":true}"#, .undefined),
        ]
        for (text, value) in forms { #expect(try read(JSONB.parse(Array(text.utf8))) == value, "\(text)") }
    }

    @Test("deprecated types, names that come twice and documents like wrappers aren't stored")
    func refusals() throws {
        #expect(throws: StoredValueError.refusedType(.undefined, path: "a.0")) {
            _ = try (["a": [.undefined]] as MongoDocument).stored()
        }
        #expect(throws: StoredValueError.looksLikeWrapper(path: "a")) {
            _ = try (["a": ["$minKey": 1]] as MongoDocument).stored()
        }
        #expect(throws: StoredValueError.looksLikeWrapper(path: "a.$scope")) {
            let scope: MongoDocument = ["$oid": "507f1f77bcf86cd799439011"]
            _ = try (["a": .codeWithScope("f", scope)] as MongoDocument).stored()
        }
        #expect(throws: StoredValueError.duplicateName(path: "a")) {
            _ = try MongoDocument([.init("a", 1), .init("a", 2)]).stored()
        }
        var deep: BSON = 1
        for _ in 0..<500 { deep = [deep] }
        #expect(throws: StoredValueError.tooDeep) { _ = try (["a": deep] as MongoDocument).stored() }
    }

    @Test("random values come back, and compare in place as they do in memory", arguments: TestSeed.seeds(3))
    func roundTrip(seed: UInt64) throws {
        var random = RandomValues(seed: seed)
        var values: [(value: BSON, stored: [UInt8])] = []
        while values.count < 200 {
            let value = random.value()
            guard let stored = try? value.stored() else { continue }
            values.append((value, stored))
        }
        for (value, stored) in values {
            #expect(JSONBValidator.isValid(stored, requiresObject: false))
            #expect(try read(stored) == value)
        }
        var faults = 0
        for (value, stored) in values {
            for (other, otherStored) in values {
                let order = value.compared(to: other).signum()
                guard let root = JSONBElement(root: stored.span), let otherRoot = JSONBElement(root: otherStored.span)
                else { continue }
                if StoredValue.compare(root, in: stored.span, to: other).signum() != order { faults += 1 }
                let inPlace = StoredValue.compare(root, in: stored.span, to: otherRoot, in: otherStored.span)
                if inPlace.signum() != order { faults += 1 }
            }
        }
        #expect(faults == 0)
    }

    @Test("numbers of any length are read as the nearest double or the integer that they are")
    func numbers() throws {
        let numbers: [(String, BSON)] = [
            ("9223372036854775807", .int64(.max)), ("9223372036854775808", .double(0x1p63)),
            ("-9223372036854775808", .int64(.min)), ("-0", -0.0), ("2147483648", .int64(1 << 31)), ("1E2", 100.0),
            ("0.1", 0.1), ("123456789012345678901234567890", 123_456_789_012_345_678_901_234_567_890.0),
            ("1e400", .double(.infinity)), ("0.30000000000000004", 0.30000000000000004), ("1e-22", 1e-22),
            ("1e23", 1e23),
            ("9007199254740993.0", 9_007_199_254_740_992.0), ("0.000", 0.0), ("1e-400", 0.0),
        ]
        for (text, value) in numbers {
            #expect(try read(JSONB.parse(Array(text.utf8), requiresObject: false)) == value, "\(text)")
        }
    }

    private func read(_ stored: [UInt8]) throws -> BSON {
        try #require(JSONBElement(root: stored.span).flatMap { BSON(stored: $0, in: stored.span) })
    }
}
