import Testing

@testable import SealiteProtocol

@Suite("Sequences and revision IDs")
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

    @Test("revision IDs of trees are ordered by generation, then digest")
    func revisionOrder() {
        let ids = ["10-a", "9-f", "2-b", "2-a", "2-ab"].map { WireRevisionID($0) }
        #expect(ids.sorted(by: WireRevisionID.treeOrder).map(\.text) == ["2-a", "2-ab", "2-b", "9-f", "10-a"])
        #expect(WireRevisionID("4-x y!").generation == 4 && WireRevisionID("4-x y!").digest == "x y!")
        for text in ["", "-", "0-a", "a-b", "1-", "+1-a", "-1-a", "18446744073709551616-a"] {
            #expect(WireRevisionID(text).generation == nil)
        }
        #expect(WireRevisionID("1772c7cb27da0000@ABEiM0RVZneImaq7zN3u/w").isVersion)
    }
}
