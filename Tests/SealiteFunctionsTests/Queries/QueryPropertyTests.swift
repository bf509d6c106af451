import SealiteFile
import SealiteJSON
import SealiteTestSupport
import Testing

@testable import SealiteFunctions

@Suite("properties of the functions of queries")
struct QueryPropertyTests {
    private let stage: QueryStage

    init() throws { stage = try QueryStage() }

    /// Expressions that must be 1 for any two JSONB values ?1 and ?2, with their names.
    private static let claims = [
        ("a value's element is its body's", "query_value(?1) IS query_value(query_array(query_value(?1)), 0)"),
        (
            "sort keys have the order of values",
            """
            (query_sort(query_value(?1)) > query_sort(query_value(?2)))
                - (query_sort(query_value(?1)) < query_sort(query_value(?2))) = body_compare('queries', ?1, ?2)
            """
        ),
        ("a key for an index is that of the body", "query_key(query_value(?1)) IS body_key('queries', ?1)"),
        (
            "a key for an index is the beginning of the sort key",
            "query_key(query_value(?1)) = substr(query_sort(query_value(?1)), 1, 960)"
        ),
        (
            "equality is that of the order",
            "query_is(query_value(?1), query_value(?2)) = iif(body_compare('queries', ?1, ?2) = 0, x'01', x'02')"
        ),
        (
            "equal containers have equal groups, different ones different ones",
            """
            typeof(query_value(?1)) != 'blob' OR typeof(query_value(?2)) != 'blob'
                OR (query_group(query_value(?1)) = query_group(query_value(?2))) = (body_compare('queries', ?1, ?2) = 0)
            """
        ),
        (
            "a group is equal to its values",
            "query_is(query_group(query_value(?1)), query_value(?1)) = x'01'"
        ),
        (
            "less is that of the order",
            """
            query_value(?1) = x'00' OR query_value(?2) = x'00' OR query_less(query_value(?1), query_value(?2))
                = iif(body_compare('queries', ?1, ?2) < 0, x'01', x'02')
            """
        ),
        ("=", "query_test('=', query_value(?2), ?1) = query_equal(query_value(?1), query_value(?2))"),
        ("!=", "query_test('!=', query_value(?2), ?1) != query_equal(query_value(?1), query_value(?2))"),
        ("<", "query_test('<', query_value(?2), ?1) = query_less(query_value(?1), query_value(?2))"),
        ("<=", "query_test('<=', query_value(?2), ?1) = query_less_equal(query_value(?1), query_value(?2))"),
        (">", "query_test('>', query_value(?2), ?1) = query_less(query_value(?2), query_value(?1))"),
        ("if", "query_if('<', query_value(?2), ?1) = (query_test('<', query_value(?2), ?1) = x'01')"),
        (">=", "query_test('>=', query_value(?2), ?1) = query_less_equal(query_value(?2), query_value(?1))"),
        (
            "the lesser of two is the first of the two sorted",
            """
            query_value(?1) = x'00' OR query_value(?2) = x'00' OR query_least(query_value(?1), query_value(?2))
                IS query_value(query_array_sort(query_array(query_value(?1), query_value(?2))), 0)
            """
        ),
        (
            "an array contains its items",
            "query_contains_path(query_value(?1), query_array(query_value(?2), query_value(?1))) = x'01'"
        ),
    ]
    private static let question = "SELECT " + claims.map { "(\($0.1))" }.joined(separator: ", ")

    @Test("hold for random values")
    func randomValues() throws {
        var random = SeededRandom()
        for _ in 0..<4000 {
            let (left, right) = (random.json(depth: 2), random.json(depth: 2))
            let bytes = try [left, right].map { try JSONB.parse(Array($0.utf8), requiresObject: false) }
            try stage.connection.query(Self.question, bind: bytes.map { .blob($0) }) { row in
                for (index, claim) in Self.claims.enumerated() where row.integer(index) != 1 {
                    Issue.record("seed \(random.seed): \(claim.0): \(left) and \(right)")
                }
            }
        }
    }

    @Test("a number that is only moved keeps its value")
    func numbers() throws {
        var random = SeededRandom()
        for _ in 0..<4000 {
            let text = random.number()
            let element = try jsonb(text)
            let back = "query_value(query_array(query_value(\(element))), 0)"
            let isSame = "body_compare('queries', query_array(\(back)), query_array(\(element))) = 0"
            #expect(try stage.ask(isSame) == "1", "seed \(random.seed): \(text)")
        }
    }

    @Test("integers and doubles come out as such only where nothing is lost")
    func representation() throws {
        for (text, type) in [
            ("1", "integer"), ("-0", "integer"), ("9223372036854775807", "integer"),
            ("-9223372036854775808", "integer"),
            ("9223372036854775808", "blob"), ("1.0", "real"), ("1e2", "real"), ("0.1", "real"), ("1.50", "real"),
            ("0.30000000000000004", "real"), ("0.300000000000000044", "blob"), ("1e308", "real"), ("1e309", "blob"),
            ("1e23", "real"), ("5e-324", "real"), ("1e-324", "blob"), ("123456789012345678901234567890", "blob"),
            ("9007199254740993.0", "blob"), ("1.7976931348623157e308", "real"), ("1E+2", "real"),
            ("0e999999999999", "real"),
            ("100000000000000000000", "real"), ("4611686018427387904.0", "blob"),
        ] {
            #expect(try stage.ask("typeof(query_value(\(jsonb(text))))") == "'\(type)'", "\(text)")
        }
    }

    @Test("places have the order of the indexes that they are made of, the first one foremost")
    func places() throws {
        let indexes: [Int64] = [0, 1, 239, 240, 255, 256, 65_535, 65_536, 1 << 32, .max]
        for (left, right) in zip(indexes, indexes.dropFirst()) {
            #expect(try stage.ask("query_place(\(left), 7) < query_place(\(right), 0)") == "1", "\(left), \(right)")
            #expect(try stage.ask("query_place(7, \(left)) < query_place(7, \(right))") == "1", "\(left), \(right)")
        }
        #expect(try stage.ask("hex(query_place(0, 239, 240, 65536))") == "'00EFF0F0F2010000'")
        #expect(try stage.ask("hex(query_place(NULL, 3, 'a', -1, 2.0))") == "'03'")
        #expect(try stage.ask("typeof(query_place(NULL))") == "'blob'")
    }

    @Test("keys under a collation group what it takes for equal")
    func collatedKeys() throws {
        #expect(try stage.ask("query_sort('aB', 'nocase') = query_sort('Ab', 'nocase')") == "1")
        #expect(try stage.ask("query_sort('aB', 'nocase') < query_sort('Ac', 'nocase')") == "1")
        #expect(try stage.ask("query_sort('a', 'nocase') < query_sort('a' || char(0), 'nocase')") == "1")
        #expect(try stage.ask("hex(query_sort('A', 'nocase'))") == "'606100'")
        #expect(try stage.ask("hex(query_sort(5, 'nocase'))") == "'50C064'")
        #expect(try stage.ask("length(query_sort(printf('%5000s', 'a')))") == "5002")
        #expect(try stage.ask("length(query_key(printf('%5000s', 'a'), 'nocase'))") == "960")
        #expect(
            try stage.ask(
                "query_group(\(jsonb(#"{"b":1.0,"a":[1e400]}"#))) = query_group(\(jsonb(#"{"a":[10e399],"b":1}"#)))")
                == "1")
    }
}
