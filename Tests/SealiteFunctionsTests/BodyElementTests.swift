import CSQLite
import Testing

@testable import SealiteFile

@Suite("the SQL functions body_element and body_type")
struct BodyElementTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    @Test(
        "every type is told apart, missing from null and true from 1",
        arguments: [
            ("{}", "missing", "NULL"), (#"{"x":null}"#, "null", "X'00'"), (#"{"x":true}"#, "boolean", "X'01'"),
            (#"{"x":false}"#, "boolean", "X'02'"), (#"{"x":1}"#, "number", "X'1331'"),
            (#"{"x":1.5}"#, "number", "X'35312E35'"), (#"{"x":"1"}"#, "string", "X'1731'"),
            (#"{"x":"\n"}"#, "string", "X'1A0A'"), (#"{"x":[]}"#, "array", "X'0B'"), (#"{"x":{}}"#, "object", "X'0C'"),
            (#"{"x":[1]}"#, "array", "X'2B1331'"),
        ])
    func types(json: String, type: String, element: String) throws {
        let body = try jsonb(json)
        #expect(try stage.ask("body_type(\(body), 'x')") == "'\(type)'")
        #expect(try stage.ask("body_element(\(body), 'x')") == element)
        #expect(try stage.ask("body_type(\(body))") == "'object'")
    }

    @Test("a body that isn't there is missing as a whole", arguments: ["NULL", "'{}'", "5", "x''", "x'FF'", "x'5C'"])
    func absent(body: String) throws {
        #expect(try stage.ask("body_type(\(body))") == "'missing'")
        #expect(try stage.ask("body_element(\(body))") == "NULL")
    }

    @Test(
        "elements of every width of header come out whole, with the shortest header",
        arguments: [0, 11, 12, 255, 256, 65_535, 65_536, 200_000])
    func widths(byteCount: Int) throws {
        let text = String(repeating: "x", count: byteCount)
        let element = try jsonb("\"\(text)\"")
        let found = try stage.agree("body_element(\(jsonb("[0,\"\(text)\"]")), 1)", element)
        #expect(found)
        let payload = element.dropFirst(2).dropLast().suffix(byteCount * 2)
        if byteCount < 65_536 {
            let long = "x'E7" + String(byteCount, radix: 16).leftPadded(8) + payload + "'"
            #expect(try stage.agree("body_element(\(long))", element))
        }
    }

    @Test("types that no body has give NULL", arguments: ["04", "0D", "0F", "1631", "1831", "1931"])
    func unknownTypes(element: String) throws {
        #expect(try stage.ask("body_type(x'\(element)')") == "NULL")
        #expect(try stage.ask("body_element(x'\(element)')") == "NULL")
        #expect(try stage.ask("body_key('queries', x'\(element)')") == "NULL")
    }

    @Test("a call with too few arguments says what it needs")
    func tooFew() throws {
        for (call, word) in [
            ("body_value()", "body_value"), ("body_element()", "body_element"), ("body_type()", "body_type"),
            ("body_key('queries')", "body_key"), ("body_key()", "body_key"),
        ] {
            let error = try #require(throws: SealedFileError.self) { try stage.ask(call) }
            #expect(error.reason.contains("\(word)("), "\(error)")
        }
        #expect(throws: SealedFileError.self) { try stage.ask("body_compare('queries', x'00')") }
    }

    @Test("the set has a version") func version() throws { #expect(try stage.ask("body_functions_version()") == "6") }

    @Test("a result that is longer than the connection allows is an error, not a crash")
    func tooLong() throws {
        unsafe sqlite3_limit(stage.connection.handle, SQLITE_LIMIT_LENGTH, 4000)
        defer { _ = unsafe sqlite3_limit(stage.connection.handle, SQLITE_LIMIT_LENGTH, 1_000_000_000) }
        let raw = "x'DA03E8" + String(repeating: "01", count: 1000) + "'"
        let array = "x'DB03EBDA03E8" + String(repeating: "01", count: 1000) + "'"
        #expect(try stage.ask("length(body_value(\(raw)))") == "1000")
        let error = try #require(throws: SealedFileError.self) { try stage.ask("length(body_value(\(array)))") }
        #expect(error.reason.contains("too big"))
    }
}

extension String {
    fileprivate func leftPadded(_ width: Int) -> String { String(repeating: "0", count: width - count) + self }
}
