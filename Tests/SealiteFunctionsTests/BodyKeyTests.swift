import SealiteJSON
import Testing

@testable import SealiteFile

@Suite("the SQL functions body_key and body_compare")
struct BodyKeyTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    @Test(
        "keys are what Documentation/Functions.md §3 says",
        arguments: [
            ("null", "20"), ("false", "30"), ("true", "40"), ("0", "5080"), ("-0", "5080"), ("0e9", "5080"),
            ("1", "50C014"), ("1.0", "50C014"), ("10e-1", "50C014"), ("42", "50C154"), ("1234.5", "50C3194564"),
            ("-1", "503FEB"), ("0.5", "50BF64"), ("1e400", "50FE0304000114"), ("1e-400", "5081FCFCF6F614"),
            ("-1e400", "5001FCFBFFFEEB"), (#""a""#, "606100"), (#""""#, "6000"), (#""\u0000\u0001""#, "600101010200"),
            ("[]", "7000"), ("[1, null]", "7050C0142000"), (#"{"b": 1, "a": true}"#, "8002610040620050C014"),
        ])
    func layout(json: String, key: String) throws {
        #expect(try stage.ask("body_key('queries', \(jsonb(json)))") == "X'\(key)'")
    }

    @Test(
        "keys in MongoDB's order have its places of types",
        arguments: [
            ("null", "20"), ("1", "30C014"), (#""a""#, "406100"), (#"{"b": 1, "a": true}"#, "50306200C0147061000100"),
            ("[]", "6000"), ("false", "7000"), ("true", "7001"),
        ])
    func mongoLayout(json: String, key: String) throws {
        #expect(try stage.ask("body_key('mongo', \(jsonb(json)))") == "X'\(key)'")
    }

    @Test("missing has a key of its own, before all others")
    func missing() throws {
        for order in ["queries", "mongo"] {
            #expect(try stage.ask("body_key('\(order)', \(jsonb("{}")), 'x')") == "X'10'")
            #expect(try stage.ask("body_key('\(order)', NULL)") == "X'10'")
            #expect(try stage.ask("body_key('\(order)', x'00') > body_key('\(order)', NULL)") == "1")
        }
    }

    @Test(
        "SQLite puts keys in the order that body_compare has, and that is the order of values",
        arguments: ["queries", "mongo"])
    func order(name: String) throws {
        let order = name == "queries" ? ValueOrder.queries : .mongo
        for left in sampleBodies {
            for right in sampleBodies {
                let (a, b) = try (jsonb(left), jsonb(right))
                let (first, second) = ("body_key('\(name)', \(a), 'x')", "body_key('\(name)', \(b), 'x')")
                let byKey = try stage.connection.integer("SELECT (\(first) > \(second)) - (\(first) < \(second))")
                let compared = try stage.connection.integer(
                    "SELECT body_compare('\(name)', body_element(\(a), 'x'), body_element(\(b), 'x'))")
                let (l, r) = try (bytes(left), bytes(right))
                let wanted = order.compare(member(l), in: l.span, member(r), in: r.span).signum()
                #expect(byKey == Int64(wanted) && compared == Int64(wanted), "\(left) \(right)")
            }
        }
    }

    private func bytes(_ json: String) throws -> [UInt8] { try JSONB.parse(Array(json.utf8)) }

    private func member(_ body: [UInt8]) -> JSONBElement? {
        JSONBElement(root: body.span)?.member([0x78].span, in: body.span)
    }

    @Test(
        "an order that isn't there is an error",
        arguments: ["'sql'", "NULL", "x'71756572696573'", "1", "''", "'QUERIES'"])
    func unknownOrder(order: String) throws {
        for call in ["body_key(\(order), x'00')", "body_compare(\(order), x'00', x'00')"] {
            let error = try #require(throws: SealedFileError.self) { try stage.ask(call) }
            #expect(error.reason.contains("the order of values, must be 'queries' or 'mongo'"))
        }
    }

    @Test(
        "a damaged value has no key, in either order",
        arguments: [
            // Digits that are none, an item and a member that pass the end, a name without a value, a name that is a number, null and true
            // with a payload.
            "1378", "2331FF", "1B13", "2B2331", "2C1761", "4C17611378", "4C13301330", "1031", "1131",
        ])
    func damaged(element: String) throws {
        for order in ["queries", "mongo"] {
            #expect(try stage.ask("body_key('\(order)', x'\(element)')") == "NULL")
            #expect(try stage.ask("body_key('\(order)', x'00')") == "X'20'")
        }
    }

    @Test("a name that stands twice leaves no order by names")
    func repeatedName() throws {
        #expect(try stage.ask("body_key('queries', x'8C1761133017611331')") == "NULL")
        #expect(try stage.ask("body_key('mongo', x'8C1761133017611331')") != "NULL")
    }

    @Test("bytes that are no element can't be compared; damaged elements have some place")
    func compareDamaged() throws {
        for bytes in ["x''", "x'FF'", "'text'", "5"] {
            #expect(try stage.ask("body_compare('queries', \(bytes), x'00')") == "NULL", "\(bytes)")
            #expect(try stage.ask("body_compare('queries', x'00', \(bytes))") == "NULL", "\(bytes)")
        }
        #expect(try stage.ask("body_compare('mongo', NULL, NULL)") == "0")
        #expect(try stage.ask("body_compare('mongo', NULL, x'00')") == "-1")
        let one = try stage.connection.integer("SELECT body_compare('queries', x'1378', x'1331')")
        #expect(try stage.connection.integer("SELECT body_compare('queries', x'1331', x'1378')") == -one)
    }
}
