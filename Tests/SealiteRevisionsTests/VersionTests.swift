import Testing

@testable import SealiteRevisions

@Suite("versions")
struct VersionTests {
    @Test("a version goes from text to text unchanged, whatever it is")
    func texts() {
        let texts = [
            "1-aa", "2-AA", "10-0123456789abcdef0123456789abcdef01234567", "4294967294-a", "3-\u{E9}", "7-x y!", "",
            "-", "0-a", "01-a", "+1-a", "4294967295-a", "99999999999-a", "a", "1772c7cb27da0000@ABEiM0RVZneImaq7zN3u/w",
        ]
        for text in texts {
            #expect(Version(text).text == text)
            #expect(Version(text).textByteCount == text.utf8.count, "\(text)")
        }
    }

    @Test("only a revision of a tree has a revision ID")
    func revisionIDs() {
        #expect(Version("2-ab").revisionID == RevisionID("2-ab"))
        for text in ["", "-", "1-", "0-a", "01-a", "+1-a", "4294967295-a", "1@s", "1@s,2@t"] {
            #expect(Version(text).revisionID == nil, "\(text)")
        }
    }

    @Test("two versions are equal where their texts have the same bytes")
    func equality() throws {
        #expect(Version("1-aa") == Version(try #require(RevisionID("1-aa"))))
        #expect(Version("1-aa") != Version("1-AA"))
        for prefix in ["1-", "@"] {
            let (composed, decomposed) = (Version(prefix + "\u{E9}"), Version(prefix + "e\u{301}"))
            #expect(composed != decomposed)
            #expect(Set([composed, decomposed, composed]).count == 2)
        }
    }

    @Test("revision IDs are ordered by generation, then by the bytes of their digests")
    func order() {
        let ids = ["10-a", "9-f", "2-b", "2-a", "2-ab"].compactMap { RevisionID($0) }
        #expect(ids.sorted().map(\.description) == ["2-a", "2-ab", "2-b", "9-f", "10-a"])
    }

    @Test("a digest has one text, and keeps its bytes")
    func digests() throws {
        let text = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
        let digest = try #require(BlobDigest(text))
        #expect(digest.description == text && digest.bytes.count == 20)
        #expect(BlobDigest(bytes: digest.bytes) == digest)
        // The last bits belong to no byte.
        #expect(BlobDigest("sha1-ArH2IhJgRp/90GRqSAdAfa750BF=") == nil)
    }
}
