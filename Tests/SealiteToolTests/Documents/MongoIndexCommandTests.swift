import Foundation
import Testing

@Suite("sealite mongo index")
struct MongoIndexCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
        let people = #"""
            {"_id":"ann","mail":"a@x","tags":["a","b"]}
            {"_id":"bob","mail":"b@x","tags":["b"]}
            """#
        try #require(try mongo("insert", "people", input: people).status == 0)
    }

    private func mongo(_ command: String, _ arguments: String..., input: String = "") throws -> Outcome {
        let words = command.split(separator: " ").map(String.init)
        return try place.run(
            [Tool.path, "mongo"] + words + ["a.db"] + arguments + ["--key-file", "key"], input: input)
    }

    @Test("indexes are made, listed, used and deleted")
    func life() throws {
        let filter = #"{"tags":"a"}"#
        #expect(try mongo("find", "people", filter, "--explain").out == "read every document\n")
        #expect(try mongo("index create", "people", #"{"tags":1}"#).out == "made \"tags_1\"\n")
        #expect(try mongo("find", "people", filter, "--explain").out == "search 1 range of the index tags_1\n")
        #expect(try mongo("find", "people", filter).out == #"{"_id":"ann","mail":"a@x","tags":["a","b"]}"# + "\n")
        let list = try mongo("index list", "people").out
        #expect(list == #"{"key":{"_id":1},"name":"_id_"}"# + "\n" + #"{"key":{"tags":1},"name":"tags_1"}"# + "\n")
        #expect(try mongo("index delete", "people", "tags_1").out == "deleted \"tags_1\"\n")
        let again = try mongo("index delete", "people", "tags_1")
        #expect(again.status != 0 && again.error.contains("tags_1"))
    }

    @Test("a unique index refuses a document without a word of its values")
    func unique() throws {
        #expect(try mongo("index create", "people", #"{"mail":1}"#, "--unique", "--name", "mail").status == 0)
        let refused = try mongo("insert", "people", #"{"mail":"a@x"}"#)
        #expect(refused.status != 0 && refused.error.contains("mail") && !refused.error.contains("a@x"))
        #expect(try mongo("index create", "people", #"{"mail":0}"#).status == 64)
        #expect(try mongo("index create", "nowhere", #"{"mail":1}"#).status == 66)
    }
}
