import Testing

@testable import SealiteJSON

@Suite("percent coding")
struct PercentCodingTests {
    @Test("a part of a path has its other bytes encoded, and reads back")
    func paths() {
        for (text, encoded) in [
            ("notes", "notes"), ("a b/é", "a%20b%2F%C3%A9"), ("-._~", "-._~"), ("%41", "%2541"), ("", ""),
            ("\0", "%00"),
        ] {
            #expect(PercentCoding.encodePathPart(text) == encoded)
            #expect(PercentCoding.decode(encoded) == Array(text.utf8))
        }
        #expect(PercentCoding.decode("%c3%A9+") == Array("é+".utf8))
    }

    @Test(
        "what isn't two digits behind a percent sign is refused",
        arguments: ["%", "%4", "a%", "%4g", "%+4", "%%41", "%é1"])
    func malformed(text: String) {
        #expect(PercentCoding.decode(text) == nil)
    }
}
