import Foundation
import Testing

@testable import SealiteDatabase

@Suite("documents")
struct DocumentTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
    }

    @Test("a saved document is read back with its id, sequence, revision and properties")
    func saveAndRead() throws {
        let document = MutableDocument(id: "ana").setString("Ana", forKey: "name").setInt(30, forKey: "age")
        let saved = try collection.save(document: document)
        #expect(saved.sequence == 1)
        #expect(document.sequence == 1)
        #expect(document.revisionID == saved.revisionID)
        let read = try #require(try collection.document(id: "ana"))
        #expect(read == saved)
        #expect(read.string(forKey: "name") == "Ana")
        #expect(read.int(forKey: "age") == 30)
        #expect(read.keys == ["name", "age"])
        #expect(read.count == 2)
        #expect(try read.toJSON() == "{\"name\":\"Ana\",\"age\":30}")
        #expect(try collection.count == 1)
    }

    @Test("a document without an id gets a UUID")
    func generatedID() throws {
        let first = MutableDocument()
        #expect(UUID(uuidString: first.id) != nil)
        #expect(first.id != MutableDocument().id)
        #expect(first.revisionID == nil)
        #expect(first.sequence == 0)
    }

    @Test("revision ids are the ones Couchbase Lite would give")
    func revisionDigests() throws {
        let document = try MutableDocument(id: "z", json: "{\"name\":\"Zegpold\"}")
        #expect(try collection.save(document: document).revisionID == "1-72a4f84acad461d231912aceee4d9c70a5f786c2")
        document.setInt(2, forKey: "v")
        let second = try collection.save(document: document)
        #expect(second.revisionID == "2-5717cf7f71107591fddfa4ccb2e8a6a91bea6241")
        try collection.delete(document: second)
        let records = try collection.changes(since: 0)
        #expect(records.map(\.revisionID) == ["3-0db771aee02fce481ef4f09ea6f6a2a5d73b4af2"])
        #expect(records.map(\.isDeleted) == [true])
    }

    @Test("typed getters give Couchbase Lite's defaults for missing and other values")
    func getterDefaults() throws {
        let json = """
            {"s":"text","i":7,"d":2.75,"t":true,"f":false,"n":null,"a":[1],"o":{"x":1},\
            "big":18446744073709551616,"date":"2026-11-21T04:06:03.123Z"}
            """
        let document = try collection.save(document: MutableDocument(id: "g", json: json))
        #expect(document.string(forKey: "none") == nil)
        #expect(document.int(forKey: "none") == 0)
        #expect(document.double(forKey: "none") == 0)
        #expect(document.boolean(forKey: "none") == false)
        #expect(document.array(forKey: "none") == nil)
        #expect(document.contains(key: "n"))
        #expect(!document.contains(key: "none"))
        #expect(document.int(forKey: "d") == 2)
        #expect(document.double(forKey: "i") == 7)
        #expect(document.float(forKey: "d") == 2.75)
        #expect(document.int(forKey: "t") == 1)
        #expect(document.boolean(forKey: "i"))
        #expect(document.boolean(forKey: "s"))
        #expect(!document.boolean(forKey: "n"))
        #expect(!document.boolean(forKey: "f"))
        #expect(document.string(forKey: "i") == nil)
        #expect(document.number(forKey: "big")?.description == "18446744073709551616")
        #expect(document.int64(forKey: "big") == .max)
        #expect(document.number(forKey: "big")?.exactInt64 == nil)
        #expect(document.date(forKey: "date").map { ($0.timeIntervalSince1970 * 1000).rounded() } == 1_795_233_963_123)
        #expect(document.dictionary(forKey: "o")?.int(forKey: "x") == 1)
        #expect(document["o"]["x"].int == 1)
        #expect(document["a"][0].int == 1)
        #expect(document["a"][9].isNull)
        #expect(document["o"]["y"]["z"].isNull)
    }

    @Test("nested values are edited through subscripts")
    func nestedEdit() throws {
        let document = try MutableDocument(id: "n", json: "{\"address\":{\"city\":\"Porto\"},\"tags\":[\"a\",\"b\"]}")
        document["address"]["city"] = "Lyon"
        document["address"]["zip"] = 69_001
        document["tags"][1] = nil
        document["made"]["up"] = true
        document["address"]["city"]["not an object"] = 1
        document.removeValue(forKey: "none")
        let saved = try collection.save(document: document)
        #expect(
            try saved.toJSON()
                == "{\"address\":{\"city\":\"Lyon\",\"zip\":69001},\"tags\":[\"a\",null],\"made\":{\"up\":true}}")
    }

    @Test("numbers keep their exact form through save, edit and read")
    func exactNumbers() throws {
        let json = "{\"a\":1.50,\"b\":12345678901234567890,\"c\":-0,\"d\":1e400,\"e\":0.1}"
        let document = try MutableDocument(id: "x", json: json)
        document.setInt(1, forKey: "new")
        let saved = try collection.save(document: document)
        #expect(try saved.toJSON() == json.dropLast() + ",\"new\":1}")
        let unsigned = try collection.save(
            document: MutableDocument(id: "u").setValue(Value(UInt64.max), forKey: "max"))
        #expect(unsigned.number(forKey: "max")?.exactUInt64 == .max)
    }

    @Test("a number is the integer that it equals, however its text is written, and the same before and after a save")
    func exactIntegers() throws {
        let expected: [(String, Int64?, UInt64?)] = [
            ("1e18", 1_000_000_000_000_000_000, 1_000_000_000_000_000_000), ("1e19", nil, 10_000_000_000_000_000_000),
            ("9007199254740993.0", 9_007_199_254_740_993, 9_007_199_254_740_993), ("1.0000000000000000", 1, 1),
            ("-9.223372036854775808e18", .min, nil), ("9223372036854775808e0", nil, 9_223_372_036_854_775_808),
            ("18446744073709551616.0", nil, nil), ("0.0e99999999999999999999", 0, 0), ("1.5e1", 15, 15),
            ("1.55e1", nil, nil), ("1e-1", nil, nil), ("1e99999999999999999999", nil, nil), ("-0.0", 0, 0),
            ("1.00000000000000000000001", nil, nil), ("0.00000000000000000000001e23", 1, 1),
        ]
        for (text, signed, unsigned) in expected {
            let number = try #require(Number(json: text), "\(text)")
            #expect(number.exactInt64 == signed && number.exactUInt64 == unsigned, "\(text)")
        }
        let saved = try collection.save(document: MutableDocument(id: "x").setDouble(1e18, forKey: "n"))
        #expect(saved.number(forKey: "n")?.exactInt64 == Number(1e18).exactInt64)
    }

    @Test("what JSON can't hold is refused and nothing is stored")
    func unrepresentable() throws {
        for value in [Double.nan, .infinity, -.infinity] {
            let document = MutableDocument(id: "nan").setDouble(value, forKey: "x")
            #expect(code { try collection.save(document: document) } == .invalidParameter)
        }
        var deep = Value.array([])
        for _ in 0..<600 { deep = .array([deep]) }
        let document = MutableDocument(id: "deep").setValue(deep, forKey: "x")
        #expect(code { try collection.save(document: document) } == .invalidParameter)
        #expect(try collection.count == 0)
    }

    @Test(
        "document ids that can't be used are refused",
        arguments: [
            "", "_a", "a\u{0}b", "a\nb", String(repeating: "x", count: 241), String(repeating: "é", count: 121),
        ])
    func badIDs(id: String) throws {
        #expect(code { try collection.save(document: MutableDocument(id: id)) } == .badDocumentID)
        #expect(try collection.count == 0)
    }

    @Test("ids of one byte, of 240 bytes and of any script are fine", arguments: ["a", "日本", "a/b?c#d", "😀"])
    func goodIDs(id: String) throws {
        for id in [id, String(repeating: "é", count: 120)] {
            try collection.save(document: MutableDocument(id: id))
            #expect(try collection.document(id: id)?.id == id)
        }
    }

    @Test("a document past the size limit is refused with its size, the one below is stored")
    func sizeLimit() throws {
        var configuration = DatabaseConfiguration()
        configuration.maximumDocumentByteCount = 1000
        let small = try TestDatabase(configuration)
        let limit = MutableDocument(id: "a").setString(String(repeating: "x", count: 992), forKey: "k")
        try small.collection.save(document: limit)
        limit.setString(String(repeating: "x", count: 993), forKey: "k")
        #expect(code { try small.collection.save(document: limit) } == .documentTooLarge)
        #expect(try small.collection.document(id: "a")?.string(forKey: "k")?.utf8.count == 992)
    }

    @Test(
        "names that the protocol keeps for itself are refused at the top only",
        arguments: [
            "_id", "_rev", "_deleted", "_removed", "_revisions", "_sync", "_sync_x", "_purged", "_attachments", "_exp",
            "_cv",
        ])
    func reservedNames(name: String) throws {
        let document = MutableDocument(id: "r").setInt(1, forKey: name)
        #expect(code { try collection.save(document: document) } == .invalidParameter)
        do {
            try collection.save(document: document)
        } catch let error as DatabaseError {
            #expect(error.reason.contains("\"\(name)\"") && error.reason.contains("replication uses it for"))
        }
        // Also where the document is there already, and where JSON is given.
        try collection.save(document: MutableDocument(id: "there"))
        let json = try MutableDocument(id: "there", json: "{\"\(name)\":{}}")
        #expect(code { try collection.save(document: json) } == .invalidParameter)
        try collection.save(document: MutableDocument(id: "r").setDictionary([name: 1], forKey: "nested"))
    }

    @Test(
        "all other names that begin with an underscore are the application's",
        arguments: ["_custom", "_", "__id", "_ID", "_syncx", "_attachment", "_expires", "_foo"])
    func underscoredNames(name: String) throws {
        let saved = try collection.save(document: MutableDocument(id: "u").setInt(1, forKey: name))
        let edited = saved.toMutable().setInt(2, forKey: "other")
        try collection.save(document: edited)
        #expect(try collection.document(id: "u")?.int(forKey: name) == 1)
    }

    @Test("a list of attachments that a peer sent stays through edits, and may only get shorter")
    func peerAttachments() throws {
        let digest = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
        let body = """
            {"n":1,"_attachments":{"a.txt":{"digest":"\(digest)","length":12},"b.txt":{"digest":"\(digest)","length":12}}}
            """
        let incoming = IncomingRevision(
            documentID: "p", version: Version("1-aa"), isConflictRefused: true, body: Array(body.utf8))
        try collection.insert(incoming)
        let document = try #require(try collection.document(id: "p")?.toMutable())
        try collection.save(document: document.setInt(2, forKey: "n"))
        let kept = try #require(try collection.document(id: "p"))
        #expect(kept.dictionary(forKey: "_attachments")?.count == 2 && kept.int(forKey: "n") == 2)
        for json in [
            #"{"_attachments":{"a.txt":{"digest":"\#(digest)","length":13}}}"#,
            #"{"_attachments":{"c.txt":{"digest":"\#(digest)","length":12}}}"#, #"{"_attachments":[]}"#,
        ] {
            let changed = try MutableDocument(id: "p", json: json)
            #expect(code { try collection.save(document: changed) } == .invalidParameter, "\(json)")
        }
        let shorter = #"{"_attachments":{"a.txt":{"digest":"\#(digest)","length":12}}}"#
        try collection.save(document: try MutableDocument(id: "p", json: shorter))
        #expect(try collection.document(id: "p")?.dictionary(forKey: "_attachments")?.count == 1)
        let copy = try MutableDocument(id: "new", json: shorter)
        #expect(code { try collection.save(document: copy) } == .invalidParameter)
    }

    @Test("deleting leaves a tombstone that counts no more; saving again revives the document")
    func deleteAndRevive() throws {
        let document = MutableDocument(id: "d").setInt(1, forKey: "x")
        let saved = try collection.save(document: document)
        try collection.delete(document: saved)
        #expect(try collection.document(id: "d") == nil)
        #expect(try collection.count == 0)
        #expect(try collection.changes(since: 0, includingDeleted: false).isEmpty)
        try collection.delete(id: "d")
        #expect(try collection.lastSequence == 2)
        let revived = try collection.save(document: MutableDocument(id: "d").setInt(2, forKey: "x"))
        #expect(revived.revisionID.hasPrefix("3-"))
        #expect(try collection.count == 1)
        #expect(code { try collection.delete(id: "none") } == .notFound)
    }

    @Test("purging leaves nothing and never gives a sequence twice")
    func purge() throws {
        try collection.save(document: MutableDocument(id: "a"))
        try collection.save(document: MutableDocument(id: "b"))
        try collection.purge(id: "b")
        #expect(try collection.document(id: "b") == nil)
        #expect(try collection.changes(since: 0).map(\.id) == ["a"])
        #expect(code { try collection.purge(id: "b") } == .notFound)
        let next = try collection.save(document: MutableDocument(id: "c"))
        #expect(next.sequence == 3)
        try collection.delete(id: "c")
        try collection.purge(id: "c")
        let again = try collection.save(document: MutableDocument(id: "c"))
        #expect(again.sequence == 5)
        #expect(again.revisionID.hasPrefix("1-"))
    }

    @Test("getting many keeps the order asked for and skips what isn't there")
    func getMany() throws {
        for id in ["a", "b", "c"] { try collection.save(document: MutableDocument(id: id)) }
        try collection.delete(id: "b")
        #expect(try collection.documents(ids: ["c", "none", "b", "a"]).map(\.id) == ["c", "a"])
    }

    @Test("a document of one collection can't be saved, deleted or purged through another")
    func foreignDocument() throws {
        let other = try test.database.createCollection(name: "other")
        let saved = try collection.save(document: MutableDocument(id: "a"))
        #expect(code { try other.save(document: saved.toMutable()) } == .invalidParameter)
        #expect(code { try other.delete(document: saved) } == .invalidParameter)
        #expect(code { try other.purge(document: saved) } == .invalidParameter)
    }

    @Test("content with quotes, control characters and every script survives")
    func difficultText() throws {
        let text = "\"quotes\" \\ back\u{0}null\u{1F}\u{7F} é 日本 😀 \u{10FFFF}"
        let saved = try collection.save(document: MutableDocument(id: "t").setString(text, forKey: text))
        #expect(try collection.document(id: "t")?.string(forKey: text) == text)
        let copy = try MutableDocument(id: "copy", json: saved.toJSON())
        #expect(copy.string(forKey: text) == text)
    }
}
