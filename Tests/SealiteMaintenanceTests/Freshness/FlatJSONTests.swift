import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

@Suite("flat JSON")
struct FlatJSONTests {
    private func members(_ text: String) -> [String: FlatJSON.Value]? { FlatJSON.members(of: Array(text.utf8)) }

    @Test("texts and whole numbers, with any space between")
    func reads() {
        let expected: [String: FlatJSON.Value] = ["a": .text("Grüße"), "b": .number(.max), "c": .number(0)]
        #expect(members(#"{"a":"Grüße","b":18446744073709551615,"c":0}"#) == expected)
        #expect(members("\t{ \"a\" : \"Grüße\" ,\r\n \"b\":18446744073709551615, \"c\": 0 }\n") == expected)
        #expect(members("{}") == [:] && members(" { } ") == [:])
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "{", "}", "[]", "null", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{\"a\":1}x", "{\"a\":1 \"b\":2}",
            "{\"a\":-1}", "{\"a\":1.5}", "{\"a\":01}", "{\"a\":1e3}", "{\"a\":18446744073709551616}", "{\"a\":true}",
            "{\"a\":{}}", "{\"a\":\"x}", "{\"a\":\"\\n\"}", "{\"a\":\"\u{1}\"}", "{\"a\":1,\"a\":1}", "{a:1}",
        ])
    func refuses(text: String) {
        #expect(members(text) == nil)
    }

    @Test("bytes that aren't UTF-8, and every cut of a record")
    func hostile() {
        #expect(FlatJSON.members(of: [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) == nil)
        let whole = Array(#"{"format": "x", "epoch": 12}"#.utf8)
        for end in 0..<whole.count { #expect(FlatJSON.members(of: Array(whole[..<end])) == nil) }
    }
}
