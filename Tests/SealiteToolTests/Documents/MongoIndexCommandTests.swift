import Foundation
import Testing

@Suite("sealite mongo index, and find --explain")
struct MongoIndexCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
        let people = #"[{"_id":1,"age":30,"tags":["a","b"]},{"_id":2,"age":40,"tags":["b"]},{"_id":3,"age":40}]"#
        let made = try place.sealite("mongo", "insert", "a.db", "people", people, "--key-file", "key")
        try #require(made.status == 0, "\(made)")
    }

    private func index(_ command: String, _ arguments: String...) throws -> Outcome {
        try place.run([Tool.path, "mongo", "index", command, "a.db", "people", "--key-file", "key"] + arguments)
    }

    private func find(_ arguments: String...) throws -> Outcome {
        try place.run([Tool.path, "mongo", "find", "a.db", "people", "--key-file", "key"] + arguments)
    }

    @Test("an index is made, listed, used, and deleted")
    func lifetime() throws {
        let filter = #"{"age":40}"#
        #expect(try find(filter, "--explain").out == "read every document\n")
        #expect(try index("create", #"{"age":1}"#).out == "made \"age_1\"\n")
        #expect(try index("create", #"{"age":1}"#).status == 0)
        #expect(try find(filter, "--explain").out == "search 1 range of the index age_1\n")
        #expect(
            try find(filter, "--explain", "--json").out == #"{"plan":"index","index":"age_1","ranges":1}"# + "\n")
        #expect(try find(filter).out.split(separator: "\n").count == 2)
        #expect(
            try find("--sort", #"{"age":-1}"#, "--explain").out == "read the index age_1 in the order of the sort\n")
        #expect(
            try find("--sort", #"{"name":1}"#, "--explain", "--json").out == #"{"plan":"scan","sort":"blocking"}"#
                + "\n")
        #expect(try find("--sort", #"{"age":-1}"#, "--limit", "1").out.hasPrefix(#"{"_id":2,"#))
        #expect(try find(#"{"_id":1}"#, "--explain").out.contains("look 1 document up by _id"))
        #expect(try index("list").out == #"_id_  {"_id":1}"# + "\n" + #"age_1  {"age":1}"# + "\n")
        #expect(try index("delete", "age_1").out == "deleted \"age_1\"\n")
        #expect(try index("delete", "age_1", "--json").json?["code"] as? String == "index-not-found")
        #expect(try index("delete", "age_1").status == 66)
        #expect(try find(filter, "--explain").out == "read every document\n")
    }

    @Test("an index of SQL++ that filters can't use is named beside the scan")
    func indexOfQueries() throws {
        let made = try place.sealite(
            "index", "create", "a.db", "ages", "--on", "age", "--collection", "people", "--key-file", "key")
        try #require(made.status == 0, "\(made)")
        let shown = try find(#"{"age":40}"#, "--explain").out
        #expect(shown.hasPrefix("read every document\nthe index ages is for SQL++ queries; "))
        #expect(
            try find(#"{"age":40}"#, "--explain", "--json").out
                == #"{"plan":"scan","indexesOfQueries":["ages"]}"# + "\n")
        #expect(try find(#"{"name":"a"}"#, "--explain").out == "read every document\n")
        #expect(try index("create", #"{"age":1}"#).status == 0)
        #expect(try find(#"{"age":40}"#, "--explain").out == "search 1 range of the index age_1\n")
    }

    @Test("an index has a name and options, which are listed")
    func options() throws {
        let made = try index(
            "create", #"{"tags":1,"age":-1}"#, "--name", "both", "--partial", #"{"age":{"$gt":30}}"#, "--json")
        #expect(made.out == #"{"made":"both"}"# + "\n")
        #expect(try index("create", #"{"tags":1}"#, "--sparse").status == 0)
        #expect(try index("create", #"{"seen":1}"#, "--expire-after", "60").status == 0)
        let list = try index("list", "--json").out.split(separator: "\n").map(String.init)
        #expect(list.count == 4 && list[0] == #"{"name":"_id_","key":{"_id":1}}"#)
        #expect(
            list.contains(
                #"{"name":"both","key":{"tags":1,"age":-1},"partialFilterExpression":{"age":{"$gt":30}}}"#))
        #expect(list.contains(#"{"name":"tags_1","key":{"tags":1},"sparse":true}"#))
        #expect(list.contains(#"{"name":"seen_1","key":{"seen":1},"expireAfterSeconds":60}"#))
    }

    @Test("what isn't an index, one of another definition, and values that aren't unique are refused")
    func refusals() throws {
        #expect(try index("create", "{}").status == 64)
        #expect(try index("create", "[]").status == 64)
        #expect(try index("create", #"{"age":"hashed"}"#).status == 64)
        #expect(try index("create", #"{"age":1}"#, "--partial", "secret").err.contains("secret") == false)
        let twice = try index("create", #"{"age":1}"#, "--unique", "--json")
        #expect(twice.status == 1 && twice.json?["mongoCode"] as? Int == 11000)
        #expect(try index("create", #"{"tags":1}"#, "--name", "a").status == 0)
        let other = try index("create", #"{"age":1}"#, "--name", "a", "--json")
        #expect(other.status == 1 && [85, 86].contains(other.json?["mongoCode"] as? Int))
        #expect(try index("list").out.split(separator: "\n").count == 2)
        #expect(try place.sealite("mongo", "index", "list", "a.db", "none", "--key-file", "key").status == 66)
    }
}
