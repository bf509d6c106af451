import Testing

@testable import SealiteProtocol
import SealiteRevisions

@Suite("sequences and revision IDs")
struct SequenceTests {
    private func sequence(_ text: String) throws -> RemoteSequence {
        try RemoteSequence(json: text, limits: MessageLimits())
    }

    @Test("a sequence is a JSON number or string, and stays as it is")
    func forms() throws {
        for text in ["5", "\"120:110\"", "\"20::35\"", "1.5e3", "\"anything\""] {
            #expect(try sequence(text).json == text)
        }
        for text in ["", "120:110", "[1]", "null", "true", "\"a", "5 6"] {
            #expect(throws: MessageError.self) { try sequence(text) }
        }
        #expect(throws: MessageError(.tooLarge, "")) { try sequence(String(repeating: "1", count: 257)) }
        #expect(try sequence("5").number == 5 && sequence("\"5\"").number == 5 && sequence("\"5:4\"").number == nil)
    }

    @Test(
        "two sequences are ordered as Sync Gateway orders them",
        arguments: [
            ("1", "2", true), ("2", "1", false), ("5", "\"6:1\"", true), ("5", "\"5:1\"", false),
            ("\"5:1\"", "5", true),
            ("\"6:1\"", "5", false), ("\"5:1\"", "\"5:2\"", true), ("\"5:2\"", "\"4:9\"", false),
            ("3", "\"3::9\"", true),
            ("4", "\"3::9\"", false), ("\"3::9\"", "4", true), ("\"3::9\"", "3", false), ("\"3:7:9\"", "\"8:1\"", true),
            ("\"3::9\"", "\"4::1\"", true), ("\"3::9\"", "\"3::10\"", true), ("\"3:8:9\"", "\"3:9:1\"", true),
        ])
    func order(_ left: String, _ right: String, _ precedes: Bool) throws {
        #expect(try sequence(left).precedes(sequence(right)) == precedes)
    }

    @Test(
        "sequences of unknown form cannot be ordered",
        arguments: ["\"\"", "\":\"", "\"1:\"", "\":1\"", "\"1:2:3:4\"", "\"a\"", "1.5"])
    func unordered(_ text: String) throws {
        #expect(try sequence(text).precedes(sequence("1")) == nil)
        #expect(try sequence("1").precedes(sequence(text)) == nil)
    }

    @Test("a version of a peer is one of a tree or of vectors; a generation that no tree takes is one all the same")
    func versions() throws {
        for text in ["4-x y!", "4294967295-a", "01-a", "18446744073709551615-a", "1@s", "2@s,1@t"] {
            #expect(try Version(checking: text, limits: MessageLimits()).text == text)
        }
        for text in ["", "-", "0-a", "a-b", "1-", "+1-a", "-1-a", "18446744073709551616-a"] {
            #expect(throws: MessageError(.badProperty, "")) { try Version(checking: text, limits: MessageLimits()) }
        }
        #expect(Version("1772c7cb27da0000@ABEiM0RVZneImaq7zN3u/w").isOfVector && !Version("1-a@b").isOfVector)
    }
}
