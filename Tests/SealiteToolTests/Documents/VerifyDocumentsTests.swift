import Testing

@testable import SealiteDatabase

@Suite("sealite verify on a database of documents")
struct VerifyDocumentsTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.makeDatabase()
        let database = try Database(file: place.open())
        let collection = try database.defaultCollection()
        for (id, name) in [("a", "Ada"), ("b", "the name in question")] {
            try collection.save(document: MutableDocument(id: id).setString(name, forKey: "name"))
        }
        try collection.createIndex("names", KeyDefinition(keys: [.path([.member("name")], .queries)]))
        try database.close()
    }

    private func verify(_ options: String...) throws -> Outcome {
        try place.run([Tool.path, "verify", "a.db", "--key-file", "key"] + options)
    }

    @Test("documents, blobs and indexes are checked, and nothing is written")
    func sound() throws {
        let before = try place.read("a.db")
        let verified = try verify()
        #expect(verified.status == 0 && verified.out.contains("documents  ok\n"), "\(verified.err)")
        let documents = Outcome.object(try verify("--json").out.split(separator: "\n").last.map(String.init) ?? "")?[
            "documents"]
        #expect((documents as? [String: Any])?["findings"] as? [String] == [])
        #expect(try place.read("a.db") == before)
    }

    @Test("an index that was made stale in the file's pages, by one who has the key, is found")
    func stale() throws {
        #expect(try place.sealite("decrypt", "a.db", "plain.db", "--key-file", "key", "--yes").status == 0)
        var bytes = try place.read("plain.db")
        let key = [0x60] + Array("the name in question".utf8) + [0]
        let index = try #require(bytes.indices.first { bytes[$0...].starts(with: key) })
        bytes[index + 1] = UInt8(ascii: "T")
        try place.write(bytes, to: "plain.db")
        try place.remove("a.db")
        let sealed = try place.sealite("encrypt", "plain.db", "a.db", "--key-file", "key")
        #expect(sealed.status == 0, "\(sealed.err)")
        #expect(try place.sealite("sql", "a.db", "PRAGMA integrity_check", "--key-file", "key").out.contains("ok"))
        let verified = try verify()
        #expect(verified.status == 65)
        #expect(verified.out.contains("index \"names\": 1 entries are missing and 1 are wrong"), "\(verified.out)")
        #expect(verified.err.contains("'sealite index rebuild'") && !verified.out.contains("question"))
        let report = Outcome.object(try verify("--json").out.split(separator: "\n").last.map(String.init) ?? "")
        #expect(((report?["documents"] as? [String: Any])?["findings"] as? [String])?.count == 1)
    }

    @Test("a database of documents of a later format is authenticated, and says that its documents weren't checked")
    func later() throws {
        #expect(try place.sealite("sql", "a.db", "PRAGMA user_version = 99", "--key-file", "key", "--raw").status == 0)
        let verified = try verify()
        #expect(verified.status == 0 && verified.out.contains("not checked: "), "\(verified.out)\(verified.err)")
    }
}
