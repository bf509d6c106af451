import SealiteFile
import Testing

@Suite("operators of queries")
struct QueryOperatorTests {
    private let stage: QueryStage

    init() throws { stage = try QueryStage() }

    @Test("values at a path come out as SQLite has them")
    func values() throws {
        let body = try jsonb(#"{"a":[1,2.50,"x",null,true,{"b":[]}],"big":18446744073709551615,"far":1e400,"-":-0.0}"#)
        let wanted = [
            "'a', 0": "1", "'a', 1": "2.5", "'a', 2": "\"x\"", "'a', 3": "null", "'a', 4": "true",
            "'a', 5": #"{"b":[]}"#,
            "'a', -1": #"{"b":[]}"#, "'a', -6": "1", "'a', -7": "MISSING", "'a', 6": "MISSING", "'a', 'b'": "MISSING",
            "'b'": "MISSING", "0": "MISSING", "'a', -1, 'b'": "[]", "'a', NULL": "MISSING",
            "'big'": "#18446744073709551615", "'far'": "#1e400", "'-'": "-0.0",
        ]
        for (path, value) in wanted {
            #expect(try stage.ask("query_value(\(body), \(path))") == stage.ask(literal(value)), "\(path)")
        }
        for nothing in ["NULL", "5", "'text'", "x'FF'", "x''", "x'3341'"] {
            #expect(try stage.ask("query_value(\(nothing))") == "NULL")
        }
    }

    @Test("a header that isn't the shortest one comes out as the shortest one")
    func headers() throws {
        #expect(try stage.ask("query_value(x'CB021331')") == "X'2B1331'")
        #expect(try stage.ask("query_value(x'CC071761EB000000021331', 'a')") == "NULL")
        #expect(try stage.ask("query_value(x'CC091761EB000000021331', 'a')") == "X'2B1331'")
    }

    @Test("equality is two-valued with NULL, and MISSING with MISSING")
    func equality() throws {
        try stage.check(
            """
            equal(1, 1.0) → true
            equal(1, 2) → false
            equal(true, 1) → false
            equal(false, 0) → false
            equal("1", 1) → false
            equal(null, null) → true
            equal(null, 1) → false
            equal(MISSING, 1) → MISSING
            equal(1, MISSING) → MISSING
            equal(MISSING, MISSING) → MISSING
            equal([1,{"a":1,"b":2}], [1.0,{"b":2,"a":1}]) → true
            equal([], []) → true
            equal("a", "A") → false
            equal("a", "A", "nocase") → true
            equal("É", "é", "nocase") → false
            equal("a", "A", "none") → null
            equal(9007199254740993, 9007199254740992.0) → false
            equal(9223370000000000000, 9.22337e+18) → true
            equal(9223370000000000001, 9.22337e+18) → false
            equal(#1e400, #10e399) → true
            is(MISSING, MISSING) → true
            is(MISSING, null) → false
            is(1, 1.0) → true
            is(null, null) → true
            """)
    }

    @Test("the order of values goes across types, and NULL has none")
    func order() throws {
        let ascending = [
            "false", "true", "#-1e400", "-9223372036854775808", "-1.5", "0", "9007199254740992.0", "9007199254740993",
            "9223372036854775807", "#9223372036854775808", "1e19", "#1e400", "\"\"", "\"10\"", "\"9\"", "\"a\"", "[]",
            "[1]", "[1,2]", "[2]", "{}", #"{"a":1}"#,
        ]
        for (left, a) in ascending.enumerated() {
            for (right, b) in ascending.enumerated() {
                try stage.check("less(\(a), \(b)) → \(left < right)\nless_equal(\(a), \(b)) → \(left <= right)")
            }
        }
        try stage.check(
            """
            less(null, 1) → null
            less(1, null) → null
            less_equal(null, null) → null
            less(MISSING, 1) → MISSING
            less_equal(null, MISSING) → MISSING
            less("a", "B") → false
            less("a", "B", "nocase") → true
            """)
    }

    @Test("query_test compares as the operators do")
    func test() throws {
        let body = try jsonb(#"{"n":5,"d":2.5,"s":"abc","z":null,"t":true,"a":[1]}"#)
        let wanted = [
            "'=', 5, 'n'": "true", "'!=', 5, 'n'": "false", "'<', 6, 'n'": "true", "'<=', 5, 'n'": "true",
            "'>', 5, 'n'": "false", "'>=', 5.0, 'n'": "true", "'<', 'a', 'n'": "true", "'>', 2, 'd'": "true",
            "'=', 'abc', 's'": "true", "'=', 'abd', 's'": "false", "'>', 'abb', 's'": "true", "'<', 1, 'z'": "null",
            "'=', x'00', 'z'": "true", "'!=', 1, 'z'": "true", "'=', 1, 't'": "false", "'=', x'01', 't'": "true",
            "'=', x'2B1331', 'a'": "true", "'=', 1, 'none'": "MISSING", "'=', NULL, 'n'": "MISSING",
            "'?', 1, 'n'": "null",
        ]
        for (arguments, value) in wanted {
            let parts = arguments.split(separator: ", ")
            let call = "query_test(\(parts[0]), \(parts[1]), \(body), \(parts[2]))"
            #expect(try stage.ask(call) == stage.ask(literal(value)), "\(arguments)")
        }
    }

    @Test("a path contains what is among the items or the values there")
    func containment() throws {
        let body = try jsonb(#"{"a":[1,"x",null,[2]],"o":{"k":"x"},"s":"x"}"#)
        for (constant, path, wanted) in [
            ("1.0", "'a'", "true"), ("'x'", "'a'", "true"), ("2", "'a'", "false"), ("x'2B1332'", "'a'", "true"),
            ("x'00'", "'a'", "true"), ("'x'", "'o'", "true"), ("'k'", "'o'", "false"), ("'x'", "'s'", "false"),
            ("'x'", "'none'", "false"), ("NULL", "'a'", "false"),
        ] {
            let call = "query_contains_path(\(constant), \(body), \(path))"
            #expect(try stage.ask(call) == stage.ask(literal(wanted)), "\(constant) \(path)")
        }
    }

    @Test("arithmetic keeps integers as long as 64 bits hold them")
    func arithmetic() throws {
        try stage.check(
            """
            add(2, 3) → 5
            add(2, 0.5) → 2.5
            add(9223372036854775807, 1) → 9223372036854775808.0
            subtract(-9223372036854775808, 1) → -9223372036854775808.0
            multiply(4611686018427387904, 2) → 9223372036854775808.0
            divide(7, 2) → 3
            divide(-7, 2) → -3
            divide(8, 10) → 0
            divide(7.0, 2) → 3.5
            divide(-9223372036854775808, -1) → 9223372036854775808.0
            divide(1, 0) → MISSING
            divide(1.0, 0) → MISSING
            remainder(7, 3) → 1
            remainder(-7, 3) → -1
            remainder(7.5, 2) → 1.0
            remainder(5.7, 2.3) → 1.0
            remainder(5, 0.5) → MISSING
            remainder(9007199254740993, 2.5) → 1.0
            remainder(9223372036854775807, 10.0) → 7.0
            remainder(-2.5, 2.5) → 0.0
            remainder(-4, 2.0) → 0.0
            remainder(-1e300, 1e300) → 0.0
            remainder(-7.9, 2) → -1.0
            remainder(-9223372036854775808, -1.5) → 0.0
            remainder(#18446744073709551615, 7.0) → 2.0
            remainder(#1e400, 7.0) → null
            remainder(1, 0) → MISSING
            remainder(-9223372036854775808, -1) → 0
            multiply(1e300, 1e300) → null
            add("5", 1) → null
            add(true, 1) → null
            add(null, 1) → null
            add(MISSING, null) → MISSING
            add(1, MISSING) → MISSING
            add(#18446744073709551615, 0) → 18446744073709551616.0
            add(#1e400, 0) → null
            negate(3) → -3
            negate(-9223372036854775808) → 9223372036854775808.0
            negate("a") → null
            negate(MISSING) → MISSING
            """)
    }

    @Test("truth is SQL's: 1, 0 or NULL")
    func truth() throws {
        let wanted = [
            "true": 1, "false": 0, "null": 0, "0": 0, "-0.0": 0, "0.5": 1, "\"\"": 0, "\"abc\"": 0, "\"1x\"": 1,
            "\" -2\"": 1,
            "\"0x0\"": 0, "\"0x1F\"": 0, "\"-0x1F\"": 0, "\"1x1F\"": 1, "[]": 0, "[1]": 0, "{}": 0, #"{"a":1}"#: 0,
            "#1e400": 1,
        ]
        for (value, truth) in wanted {
            #expect(try stage.ask("query_truth(\(literal(value)))") == "\(truth)", "\(value)")
        }
        #expect(try stage.ask("query_truth(NULL)") == "NULL")
    }

    @Test("values are chosen by whether they are MISSING, NULL or equal")
    func conditions() throws {
        try stage.check(
            """
            ifnull(null, 1, 2) → 1
            ifnull(null, MISSING, 2) → MISSING
            ifnull(null, null) → null
            ifmissingornull(MISSING, null, 3) → 3
            ifmissingornull(MISSING, null) → null
            missingif(5, 5.0) → MISSING
            missingif("5", "4") → "5"
            missingif(null, 1) → null
            missingif(MISSING, 1) → MISSING
            missingif(9223372036854775807, 9.22337e+18) → 9223372036854775807
            nullif(1, 1) → null
            nullif(5, "5") → 5
            nullif(1, MISSING) → MISSING
            nullif(-9223372036854775808, -9223372036854775808) → null
            """)
    }

    @Test("arrays and objects are made of values")
    func constructors() throws {
        try stage.check(
            #"""
            array() → []
            array(1, "a\n", null, MISSING, [2.5], true, #1e400) → [1,"a\n",null,[2.5],true,1e400]
            object() → {}
            object("a", 1, "b", MISSING, "c", null) → {"a":1,"c":null}
            object("a", 1, "b", 2, "a", 3) → {"b":2,"a":3}
            object("a", 1, "a", MISSING) → {"a":1}
            object(1, 1) → null
            object("a") → null
            object_merge({"a":1,"b":2}, {"b":3,"c":4}) → {"a":1,"b":3,"c":4}
            object_merge({}, {}) → {}
            object_merge({}, 1) → null
            object_merge({}, MISSING) → MISSING
            slice([0,1,2,3], 1, 3) → [1,2]
            slice([0,1,2,3], 1, MISSING) → [1,2,3]
            slice([0,1,2,3], -2, MISSING) → [2,3]
            slice([0,1,2,3], MISSING, -3) → [0]
            slice([0,1,2,3], 3, 1) → []
            slice([0,1,2,3], -9, 9) → [0,1,2,3]
            slice([0,1], -9223372036854775808, 9223372036854775807) → [0,1]
            slice([0,1], "a", 1) → null
            slice({"a":1}, 0, 1) → MISSING
            slice(MISSING, 0, 1) → MISSING
            """#)
    }
}
