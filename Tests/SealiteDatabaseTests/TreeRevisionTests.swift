import Testing

@testable import SealiteDatabase

@Suite("bodies and blobs on their way between databases")
struct TreeRevisionTests {
    private static let hello = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
    private static let other = "sha1-9Z8YoI6cEYJ3rZlV3gTCG+NAG90="

    private func body(_ json: String) throws -> (text: String, revision: TreeRevision) {
        let revision = try TreeRevision(
            IncomingRevision(documentID: "a", version: Version("1-aa"), body: Array(json.utf8)))
        return (String(decoding: try JSONSerializer.text(of: revision.body), as: UTF8.self), revision)
    }

    @Test("what belongs to the protocol is not stored, and says whether access is lost")
    func protocolProperties() throws {
        #expect(try body(#"{"a":1,"_id":"x","_rev":"1-a","b":{"_id":2}}"#).text == #"{"a":1,"b":{"_id":2}}"#)
        #expect(try body(#"{"_removed":true}"#).revision.isRemoved)
        #expect(try !body(#"{"_removed":false,"a":1}"#).revision.isRemoved)
        let names = ["_id", "_rev", "_deleted", "_removed", "_revisions", "_sync", "_sync_a", "_purged", "_exp", "_cv"]
        let reserved = names.map { #""\#($0)":1"# }.joined(separator: ",")
        #expect(try body(#"{"a":1,\#(reserved),"b":2}"#).text == #"{"a":1,"b":2}"#)
        #expect(try body("").text == "{}")
        #expect(code { _ = try body("[1]") } == .invalidJSON)
        #expect(code { _ = try body("nonsense") } == .invalidJSON)
    }

    @Test("members of the application are kept, also those that begin with an underscore")
    func underscoredMembers() throws {
        let json = #"{"_custom":{"deep":[1.50]},"_":null,"a":1,"_Sync":2,"_syncing":3}"#
        #expect(try body(json).text == json)
        #expect(try body(#"{"_custom":1,"_rev":"1-a"}"#).text == #"{"_custom":1}"#)
    }

    @Test("blobs are listed for Sync Gateway by their place, and found in the body again")
    func attachments() throws {
        let blob = #"{"@type":"blob","content_type":"text/plain","digest":"\#(Self.hello)","length":12}"#
        let stored = try body(#"{"a/b":[0,\#(blob)],"c~":\#(blob)}"#)
        let listed = try #require(try AttachmentList.json(of: stored.revision.body, generation: 3))
        let text = String(decoding: listed, as: UTF8.self)
        for name in ["blob_/a~1b/1", "blob_/c~0"] {
            #expect(
                text.contains(
                    #""\#(name)":{"content_type":"text/plain","digest":"\#(Self.hello)","length":12,"revpos":3,"#
                        + #""stub":true}"#))
        }
        #expect(try body(text).text == stored.text)
        #expect(stored.revision.blobReferences.map(\.digest.description) == [Self.hello])
        #expect(stored.revision.blobReferences.map(\.length) == [12])
        #expect(try AttachmentList.json(of: body(#"{"a":1}"#).revision.body, generation: 1) == nil)
    }

    @Test("an attachment that was replaced on the server replaces the blob; one that is no blob stays")
    func replaced() throws {
        let json = """
            {"p":{"@type":"blob","digest":"\(Self.hello)","length":12},"_attachments":{
            "blob_/p":{"digest":"\(Self.other)","length":5,"stub":true,"revpos":2},
            "old.txt":{"digest":"\(Self.hello)","length":12,"stub":true},
            "blob_/gone":{"digest":"\(Self.hello)","length":12,"stub":true},
            "blob_0":{"digest":"\(Self.hello)","length":12,"stub":true}}}
            """
        let (text, stored) = try body(json)
        #expect(text.contains(#""p":{"@type":"blob","digest":"\#(Self.other)","length":5}"#))
        #expect(text.contains(#""old.txt":{"digest":"\#(Self.hello)","length":12}"#))
        #expect(!text.contains("\"blob_0\"") && !text.contains("\"blob_/p\"") && !text.contains("stub"))
        #expect(Set(stored.blobReferences.map(\.digest.description)) == [Self.hello, Self.other])
    }

    @Test("content that arrives in pieces is stored only with the digest and length that were stated")
    func incomingBlobs() throws {
        let test = try TestDatabase()
        let database = test.database
        let digest = try #require(BlobDigest(Self.hello))
        for (pieces, length, isRight): ([String], UInt64?, Bool) in [
            (["Hello, ", "blob!"], 11, false), (["Hello, blob?"], 12, false), (["Hello"], nil, false),
            (["Hello, blob!", "!"], nil, false), (["Hello, ", "", "blob!"], 12, true),
        ] {
            let blob = try IncomingBlob(database, digest: digest, length: length)
            let error = code {
                for piece in pieces { try blob.add(Array(piece.utf8)) }
                try blob.finish()
            }
            #expect(error == (isRight ? nil : .blobMismatch))
            #expect(try database.missingBlobs([digest]).isEmpty == isRight)
        }
        #expect(try database.statistics().blobCount == 1)
        var reader = try #require(try database.blobReader(digest: digest))
        #expect(try reader.read(upTo: 100) == Array("Hello, blob!".utf8))
    }

    @Test("content whose length nobody stated has a limit, since it may never end")
    func unstatedLength() throws {
        let test = try TestDatabase()
        let digest = try #require(BlobDigest(Self.hello))
        for (limit, isRight): (UInt64, Bool) in [(11, false), (12, true)] {
            let blob = try IncomingBlob(test.database, digest: digest, length: nil, unstatedLimit: limit)
            let error = code {
                try blob.add(Array("Hello, blob!".utf8))
                try blob.finish()
            }
            #expect(error == (isRight ? nil : .blobMismatch))
        }
    }

    @Test("large content goes to the database piece by piece, and is read so")
    func largeBlob() throws {
        let test = try TestDatabase()
        let collection = try test.collection
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 999) }
        let reference = try TestDatabase()
        let original = Blob(contentType: nil, bytes: content)
        try reference.database.saveBlob(blob: original)
        let digest = try #require(original.digest.flatMap { BlobDigest($0) })
        let blob = try IncomingBlob(test.database, digest: digest, length: UInt64(content.count))
        for start in stride(from: 0, to: content.count, by: 100_000) {
            try blob.add(Array(content[start..<min(start + 100_000, content.count)]))
        }
        try blob.finish()
        try collection.save(document: MutableDocument(id: "a", json: "{\"b\":\(try original.toJSON())}"))
        var reader = try #require(try test.database.blobReader(digest: digest))
        var read: [UInt8] = []
        while case let piece = try reader.read(upTo: 65_536), !piece.isEmpty { read += piece }
        #expect(read == content)
    }
}
