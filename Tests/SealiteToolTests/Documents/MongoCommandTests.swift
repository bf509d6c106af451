import Foundation
import Glibc
import SealiteTestSupport
import Testing

@Suite("sealite mongo")
struct MongoCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
        let people = #"""
            {"_id":"ann","name":"Ann","age":30,"tags":["a","b"],"born":{"$date":"1996-02-03T04:05:06Z"}}
            {"_id":"bob","name":"Bob","age":40,"tags":["b"]}

            {"_id":{"$numberInt":"7"},"name":"Cy\u001b[1m","age":{"$numberLong":"50"}}
            """#
        let made = try mongo("insert", "people", input: people)
        try #require(made.out == "inserted 3 documents\n", "\(made)")
    }

    private func mongo(_ command: String, _ arguments: String..., input: String = "") throws -> Outcome {
        try place.run([Tool.path, "mongo", command, "a.db"] + arguments + ["--key-file", "key"], input: input)
    }

    @Test("documents come one to a line, in an order, in part, and in both forms")
    func find() throws {
        let all = try mongo("find", "people").out.split(separator: "\n")
        #expect(
            all.first
                == #"{"_id":"ann","name":"Ann","age":30,"tags":["a","b"],"born":{"$date":"1996-02-03T04:05:06Z"}}"#)
        #expect(all.count == 3 && all.last == #"{"_id":7,"name":"Cy\u001b[1m","age":50}"#)
        let sorted = try mongo(
            "find", "people", #"{"age":{"$gte":30}}"#, "--sort", #"{"age":-1}"#, "--skip", "1", "--limit", "1",
            "--projection", #"{"age":1}"#)
        #expect(sorted.out == #"{"_id":"bob","age":40}"# + "\n")
        let canonical = try mongo("find", "people", #"{"_id":7}"#, "--projection", #"{"age":1}"#, "--canonical")
        #expect(canonical.out == #"{"_id":{"$numberInt":"7"},"age":{"$numberLong":"50"}}"# + "\n")
        #expect(try mongo("find", "people", #"{"name":"nobody"}"#, "--json").out.isEmpty)
        #expect(try mongo("find", "people", "--limit", "0").status == 64)
        #expect(try mongo("find", "people", "--skip", "-1").status == 64)
    }

    @Test("documents are counted, and the values at a path are written once each")
    func countAndDistinct() throws {
        #expect(try mongo("count", "people", #"{"age":{"$gt":30}}"#).out == "2\n")
        #expect(try mongo("count", "people", "--json", "--limit", "1").out == #"{"count":1}"# + "\n")
        let tags = try mongo("distinct", "people", "tags").out.split(separator: "\n").sorted()
        #expect(tags == [#""a""#, #""b""#])
        #expect(try mongo("distinct", "people", "tags", #"{"name":"Bob"}"#).out == #""b""# + "\n")
        #expect(
            try mongo("distinct", "people", "_id", #"{"age":50}"#, "--canonical").out == #"{"$numberInt":"7"}"# + "\n")
    }

    @Test("an update says what it matched and what it changed, and one that changes nothing says so")
    func update() throws {
        let adult = #"{"$set":{"adult":true}}"#
        #expect(try mongo("update", "people", "{}", adult).out == "matched 1 document, changed 1\n")
        #expect(try mongo("update", "people", "{}", adult, "--many").out == "matched 3 documents, changed 2\n")
        let again = try mongo("update", "people", "{}", adult, "--many")
        #expect(again.status == 0 && again.out == "matched 3 documents, changed none\n")
        #expect(
            try mongo("update", "people", "{}", adult, "--many", "--json").out
                == #"{"matchedCount":3,"modifiedCount":0}"# + "\n")
        #expect(try mongo("update", "people", #"{"name":"nobody"}"#, adult).out == "matched no document\n")
        let plain = try mongo("update", "people", "{}", #"{"adult":true}"#)
        #expect(plain.status == 64 && plain.err.contains(#"'{"$set": {"NAME": VALUE}}' sets members"#))
        #expect(
            try mongo("update", "people", "{}", #"{"$set":{"first":true}}"#, "--sort", #"{"age":-1}"#).status == 0)
        #expect(try mongo("distinct", "people", "_id", #"{"first":true}"#).out == "7\n")
    }

    @Test("array filters, pipelines, upserts and replacements")
    func otherUpdates() throws {
        let filters = #"[{"tag":"b"}]"#
        #expect(
            try mongo(
                "update", "people", #"{"tags":"b"}"#, #"{"$set":{"tags.$[tag]":"c"}}"#, "--array-filters", filters,
                "--many"
            ).out == "matched 2 documents, changed 2\n")
        #expect(try mongo("count", "people", #"{"tags":"c"}"#).out == "2\n")
        let next = #"[{"$set":{"next":{"$add":["$age",1]}}}]"#
        #expect(try mongo("update", "people", "{}", next, "--many").out == "matched 3 documents, changed 3\n")
        #expect(try mongo("distinct", "people", "next", #"{"name":"Bob"}"#).out == "41\n")
        let upserted = try mongo("update", "people", #"{"_id":"eve"}"#, #"{"$set":{"age":1}}"#, "--upsert", "--json")
        #expect(upserted.out == #"{"matchedCount":0,"modifiedCount":0,"upsertedId":"eve"}"# + "\n")
        #expect(
            try mongo("replace", "people", #"{"_id":"eve"}"#, #"{"name":"Eve"}"#).out
                == "matched 1 document, changed 1\n")
        #expect(
            try mongo("replace", "people", #"{"_id":8}"#, #"{"name":"Flo"}"#, "--upsert").out
                == "matched no document, inserted _id 8\n")
        #expect(try mongo("find", "people", #"{"_id":"eve"}"#).out == #"{"_id":"eve","name":"Eve"}"# + "\n")
    }

    @Test("one document is deleted, or with --many all that fulfil the filter; without a filter none")
    func delete() throws {
        #expect(try mongo("delete", "people", #"{"age":{"$gte":30}}"#).out == "deleted 1 document\n")
        #expect(try mongo("delete", "people").status == 64)
        #expect(try mongo("count", "people").out == "2\n")
        #expect(try mongo("delete", "people", "{}", "--many", "--json").out == #"{"deletedCount":2}"# + "\n")
        #expect(try mongo("delete", "people", "{}").out == "deleted 0 documents\n")
    }

    @Test("a pipeline writes what comes out of it, or into another collection")
    func aggregate() throws {
        let pipeline = #"[{"$unwind":"$tags"},{"$group":{"_id":"$tags","n":{"$sum":1}}},{"$sort":{"_id":1}}]"#
        #expect(
            try mongo("aggregate", "people", pipeline).out == #"{"_id":"a","n":1}"# + "\n" + #"{"_id":"b","n":2}"#
                + "\n")
        #expect(try mongo("aggregate", "people", pipeline.dropLast() + #",{"$out":"tags"}]"#).out.isEmpty)
        #expect(try mongo("count", "tags").out == "2\n")
        #expect(try mongo("aggregate", "people", #"{"$match":{}}"#).status == 64)
        #expect(try mongo("aggregate", "people", #"[1]"#).status == 64)
    }

    @Test("an argument inserts a document or several, and their ids are told")
    func insert() throws {
        #expect(try mongo("insert", "work.notes", #"{"_id":"x"}"#).out == "inserted _id \"x\"\n")
        #expect(
            try mongo("insert", "work.notes", #"[{"_id":1},{"_id":"y"}]"#, "--json").out
                == #"{"insertedCount":2,"insertedIds":[1,"y"]}"# + "\n")
        #expect(try mongo("insert", "work.notes", #"{"a":1}"#).out.hasPrefix(#"inserted _id {"$oid":""#))
        #expect(try mongo("insert", "work.notes", "[]").status == 64)
        let twice = try mongo("insert", "work.notes", #"[{"_id":2},{"_id":"x","secret":5}]"#, "--json")
        #expect(twice.status == 1 && twice.json?["code"] as? String == "duplicate-key")
        #expect(twice.json?["mongoCode"] as? Int == 11000 && !twice.err.contains("secret"))
        #expect(twice.err.contains("document 2: ") && twice.err.contains("(1 document before it is inserted)"))
        #expect(try mongo("count", "work.notes").out == "5\n")
    }

    @Test("what came before a line that isn't one or can't be inserted stays")
    func insertLines() throws {
        let lines = (1...1500).map { #"{"_id":\#($0)}"# }.joined(separator: "\n") + "\n"
        let bad = try mongo("insert", "numbers", input: lines + "{\"secret\":\n")
        #expect(bad.status == 64 && bad.err.contains("line 1501: ") && !bad.err.contains("secret"))
        #expect(bad.err.contains("(1000 documents before it are inserted)"))
        #expect(try mongo("count", "numbers").out == "1000\n")
        let twice = try mongo("insert", "numbers", "--json", input: "{\"_id\":0}\n{\"_id\":1}\n{\"_id\":-1}\n")
        #expect(twice.status == 1 && twice.err.contains("line 2: ") && twice.json?["mongoCode"] as? Int == 11000)
        #expect(try mongo("count", "numbers").out == "1001\n")
        #expect(try mongo("insert", "numbers", "--json", input: "").out == #"{"insertedCount":0}"# + "\n")
    }

    @Test("a collection that isn't there is an error, and reading or changing doesn't make it")
    func unknownCollection() throws {
        let commands = [
            ["find"], ["count"], ["distinct", "a"], ["update", "{}", #"{"$set":{"a":1}}"#], ["replace", "{}", "{}"],
            ["delete", "{}"], ["aggregate", "[]"],
        ]
        for command in commands {
            let words = [Tool.path, "mongo", command[0], "a.db", "none"] + command.dropFirst()
            let error = try place.run(words + ["--key-file", "key", "--json"])
            #expect(error.status == 66 && error.json?["code"] as? String == "no-such-collection", "\(command[0])")
        }
        let collections = try place.sealite("collection", "list", "a.db", "--key-file", "key").out
        #expect(!collections.contains("none") && collections.contains("people"))
    }

    @Test(
        "a signal ends a find and a pipeline in the middle of a batch",
        .endsIfItHangs,
        arguments: [["find"], ["find", "--sort", #"{"n":1}"#], ["aggregate"]])
    func signalledReading(command: [String]) throws {
        let lines = (1...10_000).map { #"{"_id":\#($0)}"# }.joined(separator: "\n")
        try #require(try mongo("insert", "numbers", input: lines).status == 0)
        let slow =
            #"{"$expr":{"$lt":[{"$size":{"$filter":{"input":{"$range":[0,100000]},"cond":{"$gt":["$$this","$_id"]}}}},0]}}"#
        let argument = command[0] == "find" ? slow : #"[{"$match":\#(slow)}]"#
        let child = try ChildProcess(
            [Tool.path, "mongo", command[0], "a.db", "numbers", argument, "--key-file", "key"] + command.dropFirst(),
            folder: place.path, files: [(1, place.file("stdout"), O_WRONLY | O_CREAT)])
        child.waitUntilBusy()
        child.send(SIGINT)
        // All documents take hours.
        #expect(child.wait() == 128 + SIGINT)
    }

    @Test("a signal takes an update back", arguments: [SIGINT, SIGTERM])
    func signalled(signal: CInt) throws {
        let lines = (1...10_000).map { #"{"_id":\#($0)}"# }.joined(separator: "\n")
        try #require(try mongo("insert", "numbers", input: lines).status == 0)
        let slow =
            #"[{"$set":{"n":{"$size":{"$filter":{"input":{"$range":[0,100000]},"cond":{"$gt":["$$this",5]}}}}}}]"#
        let child = try ChildProcess(
            [Tool.path, "mongo", "update", "a.db", "numbers", "{}", slow, "--many", "--key-file", "key"],
            folder: place.path, files: [(1, place.file("stdout"), O_WRONLY | O_CREAT)])
        child.waitUntilBusy(with: place.file("a.db"))
        child.send(signal)
        #expect(child.wait() == 128 + signal)
        #expect(try place.read("stdout").isEmpty)
        #expect(try mongo("count", "numbers", #"{"n":{"$exists":true}}"#).out == "0\n")
        #expect(place.names == ["a.db"])
    }
}
