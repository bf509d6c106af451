@testable import SealiteFile
@testable import SealiteFunctions
@testable import SealiteJSON

/// The SQL functions over bodies, called by SQLite on hostile JSONB.
///
/// The first byte is the index of an item, the second the length of the first element; the second element is the rest.
final class FunctionsFuzz: FuzzTarget {
    private let connection: RawConnection

    init() throws {
        try SealedVFS.register()
        connection = try RawConnection(uri: "file::memory:", path: "memory")
    }

    /// Expressions that must be 1 in every row, with their names in a report. ?1 and ?2 are elements, ?3 an order, ?4
    /// an index.
    private static let claims = [
        (
            "an element's order depends on its side",
            "body_compare(?3, ?1, ?2) IS -body_compare(?3, ?2, ?1)"
        ),
        ("a value isn't in its own place", "ifnull(body_compare(?3, ?1, ?1), 0) = 0"),
        (
            "keys have another order than values",
            """
            body_key(?3, ?1) IS NULL OR body_key(?3, ?2) IS NULL OR body_compare(?3, ?1, ?2) IS NULL
            OR (body_key(?3, ?1) > body_key(?3, ?2)) - (body_key(?3, ?1) < body_key(?3, ?2)) = body_compare(?3, ?1, ?2)
            OR (body_key(?3, ?1) = body_key(?3, ?2) AND length(body_key(?3, ?1)) = 960)
            """
        ),
        ("a key is longer than it may be", "ifnull(length(body_key(?3, ?1)), 0) <= 960"),
        ("a missing value has an element", "(body_type(?1, ?4) IS 'missing') <= (body_element(?1, ?4) IS NULL)"),
        (
            "a value has a type and no element, or the reverse",
            "body_type(?1, ?4) IS 'missing' OR (body_type(?1, ?4) IS NULL) = (body_element(?1, ?4) IS NULL)"
        ),
        ("an element taken out has another value", "body_value(?1, ?4) IS body_value(body_element(?1, ?4))"),
        (
            "an element taken out has another type",
            "body_element(?1, ?4) IS NULL OR body_type(?1, ?4) = body_type(body_element(?1, ?4))"
        ),
        (
            "an element taken out has another key",
            "body_element(?1, ?4) IS NULL OR body_key(?3, ?1, ?4) IS body_key(?3, body_element(?1, ?4))"
        ),
        ("null isn't NULL in SQL", "body_type(?1) IS NOT 'null' OR body_value(?1) IS NULL"),
    ]
    /// The same, of the functions of queries.
    private static let queryClaims = [
        ("a value isn't equal to itself", "query_is(?1, ?1) = x'01'"),
        (
            "an order depends on its side",
            "query_less(?1, ?2) IS NOT x'01' OR query_less(?2, ?1) IS x'02'"
        ),
        (
            "a value in a body is compared otherwise than outside",
            "query_test('=', query_value(?2), ?1) IS query_equal(query_value(?1), query_value(?2))"
        ),
        (
            "a value in a body comes otherwise before another one than outside",
            "query_test('<', query_value(?2), ?1) IS query_less(query_value(?1), query_value(?2))"
        ),
        (
            "sort keys have another order than values",
            """
            query_sort(?1) IS NULL OR query_sort(?2) IS NULL OR query_less(?1, ?2) = x'00'
            OR (query_sort(?1) < query_sort(?2)) = (query_less(?1, ?2) = x'01')
            """
        ),
        (
            "sort keys under a Unicode collation have another order than values",
            """
            query_sort(?1) IS NULL OR query_sort(?2) IS NULL OR query_less(?1, ?2, 'unicode:sv') = x'00'
            OR (query_sort(?1, 'unicode:sv') < query_sort(?2, 'unicode:sv')) = (query_less(?1, ?2, 'unicode:sv') = x'01')
            """
        ),
        (
            "a row isn't a value",
            """
            NOT EXISTS (SELECT 1 FROM query_each(?1) AS e
                WHERE query_is(query_value(query_array(e.value), 0), e.value) IS NOT x'01')
            """
        ),
        (
            "a group isn't equal to its value",
            "query_is(query_group(?1), ?1) = x'01'"
        ),
    ]
    /// Every function of queries, with each number of arguments up to three.
    private static let everyQueryFunction: String = {
        let places = ["query_value(?1)", "query_value(?2)", "?4"]
        let calls = QueryFunction.all.filter { "\($0.name)" != "query_match" }.flatMap { function in
            function.counts.prefix { $0 <= places.count }.map { count in
                "\(function.name)(\(places.prefix(count).joined(separator: ", ")))"
            }
        }
        let aggregates = ["sum", "avg", "min", "max", "array_agg"].map { name in
            "(SELECT query_\(name)(value) FROM query_each(?1))"
        }
        return "SELECT " + (calls + aggregates).joined(separator: ", ")
    }()

    private static let question = "SELECT " + claims.map { "(\($0.1))" }.joined(separator: ", ")

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard input.count >= 2, input.count >= 2 + Int(input[1]) else { return }
        let first = Array(input[2..<(2 + Int(input[1]))])
        let second = Array(input[(2 + Int(input[1]))...])
        for order in ["queries", "mongo"] {
            var broken: String?
            do {
                let values: [SQLValue] = [.blob(first), .blob(second), .text(order), .integer(Int64(input[0]))]
                try connection.query(Self.question, bind: values) { row in
                    for (index, claim) in Self.claims.enumerated() where row.integer(index) != 1 { broken = claim.0 }
                }
            } catch {
                throw BrokenProperty("a function fails: \(error)")
            }
            if let broken { throw BrokenProperty("\(broken), in the order \(order)") }
        }
        try checkQueries(first, second, Int64(input[0]))
        try checkAgainstValidator(first)
    }

    /// The functions of queries: each of them runs, and what they claim holds.
    private func checkQueries(_ first: [UInt8], _ second: [UInt8], _ index: Int64) throws(BrokenProperty) {
        var broken: String?
        do {
            let values: [SQLValue] = [.blob(first), .blob(second), .text("queries"), .integer(index)]
            let question = "SELECT " + Self.queryClaims.map { "(\($0.1))" }.joined(separator: ", ")
            try connection.query(question, bind: Array(values.prefix(2))) { row in
                for (index, claim) in Self.queryClaims.enumerated() where row.integer(index) != 1 { broken = claim.0 }
            }
            // Compiling it takes longer than all other questions together.
            if first.count % 4 == 0 { try connection.query(Self.everyQueryFunction, bind: values) }
        } catch {
            throw BrokenProperty("a function fails: \(error)")
        }
        if let broken { throw BrokenProperty(broken) }
    }

    /// Checks that valid JSONB has a key and a value or a text.
    private func checkAgainstValidator(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard JSONBValidator.isValid(bytes, requiresObject: false) else { return }
        do {
            let question =
                "SELECT body_key('queries', ?1) IS NOT NULL AND body_key('mongo', ?1) IS NOT NULL AND body_type(?1) IS NOT NULL"
            var holds = false
            try connection.query(question, bind: [.blob(bytes)]) { row in holds = row.integer(0) == 1 }
            try BrokenProperty.unless(holds, "a sound value has no key")
        } catch let error as BrokenProperty {
            throw error
        } catch {
            throw BrokenProperty("a function fails: \(error)")
        }
    }

    /// First inputs: pairs of values of every type, and some that are damaged.
    static func seeds() throws -> [[UInt8]] {
        let texts = [
            "null", "true", "-1.50e3", "12345678901234567890", "1e99999999999999999999", #""a\u0000\u0001""#, #""é""#,
            "[]",
            #"[1,"x",null,[false]]"#, #"{"b":1,"a":true}"#, #"{"a":true,"b":1.0}"#,
        ]
        let values = try texts.map { try JSONB.parse(Array($0.utf8), requiresObject: false) }
        var seeds: [[UInt8]] = []
        for (index, value) in values.enumerated() {
            let other = values[(index + 1) % values.count]
            seeds.append([UInt8(index % 4), UInt8(value.count)] + value + other)
        }
        for damaged: [UInt8] in [
            [0x13, 0x78], [0x8C, 0x17, 0x61, 0x13, 0x30, 0x17, 0x61, 0x13, 0x31], [0x4B, 0x13, 0x31, 0x2B, 0x13],
        ] {
            seeds.append([1, UInt8(damaged.count)] + damaged + values[3])
        }
        return seeds
    }
}
