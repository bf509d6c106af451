import Testing

@testable import SealiteRevisions

@Suite("texts of versions")
struct VersionTextTests {
    @Test("a source is 16 bytes in 22 characters of Base64")
    func sources() throws {
        let bytes = (0..<16).map { UInt8($0 * 0x11) }
        #expect(SourceID(bytes: bytes)?.description == "ABEiM0RVZneImaq7zN3u/w")
        #expect(SourceID("ABEiM0RVZneImaq7zN3u/w")?.bytes == bytes)
        #expect(SourceID("Revision+Tree+Encoding") == .revisionTrees)
        #expect(SourceID.revisionTrees.description == "Revision+Tree+Encoding")
        for wrong in [
            "", "AAAAAAAAAAAAAAAAAAAAAA", "ABEiM0RVZneImaq7zN3u/x", "ABEiM0RVZneImaq7zN3u/w==", "ABEiM0RVZneImaq7zN3u/",
            "ABEiM0RVZneImaq7zN3u-w", "ABEiM0RVZneImaq7zN3uéw",
        ] {
            #expect(SourceID(wrong) == nil, "\(wrong)")
        }
        #expect(try SourceID.random() != SourceID.random())
        #expect(SourceID(bytes: Array(repeating: 0, count: 16)) == nil)
    }

    @Test("a time is up to 16 lowercase hexadecimal digits without leading zeros")
    func times() {
        for text in ["1", "abc", "1772c7cb27da0000", "ffffffffffffffff"] {
            #expect(HybridTime(text)?.description == text)
        }
        for text in ["", "0", "01", "ABC", "g", "+1", "-1", " 1", "10000000000000000"] {
            #expect(HybridTime(text) == nil, "\(text)")
        }
    }

    @Test("a vector has its current version first, merged ones behind it, and previous ones behind a semicolon")
    func vectors() throws {
        for (text, canonical) in [
            ("5@a", "5@a"), ("5@a;3@b,2@c", "5@a; 3@b, 2@c"), (" 5@a ;  2@c ,3@b ", "5@a; 3@b, 2@c"),
            ("7@a,4@c,6@b;2@d", "7@a, 6@b, 4@c; 2@d"), ("7@a, 6@b, 4@c;", "7@a, 6@b, 4@c;"),
            ("7@a,6@b,4@c", "7@a, 6@b, 4@c;"), ("7@a, 6@a, 4@c;", "7@a, 6@a, 4@c;"), ("5@a;", "5@a"),
            ("7@a, 6@b;", "7@a; 6@b"),
        ] {
            #expect(try VersionVector(expanded(text)).text() == expanded(canonical), "\(text)")
        }
    }

    @Test("`*` is the own source where it is asked for, and nothing else")
    func relative() throws {
        let me = source("a")
        #expect(vector("7@a, 6@b, 5@a; 2@c").text(me: me) == expanded("7@*, 6@b, 5@*; 2@c"))
        #expect(try VersionVector(expanded("7@*, 6@b, 5@*; 2@c"), me: me) == vector("7@a, 6@b, 5@a; 2@c"))
        #expect(throws: VersionError.malformed) { try VersionVector("7@*") }
        #expect(throws: VersionError.malformed) { try VersionVector("7@**", me: me) }
    }

    @Test("a vector with a source twice is refused, but for an older one of the current source among the merged")
    func duplicates() {
        for text in [
            "5@a;3@a", "5@a;3@b,2@b", "5@a,3@b,2@b;", "5@a,3@b,2@c;1@b", "5@a,5@a,2@c;", "5@a,6@a,2@c;", "5@a,3@a;",
            "5@a,3@a,2@a;", "5@a,3@b,4@a;2@a",
        ] {
            #expect(throws: VersionError.duplicateSource, "\(text)") { try VersionVector(expanded(text)) }
        }
    }

    @Test("what isn't written as a vector is refused")
    func malformed() {
        for text in [
            "", ";", ",", "5@", "@a", "0@a", "5@a,", "5@a,;", "5@a;;", "5@a;2@b;3@c", ";2@b", "5@a;,2@b", "5@a 2@b",
            "5@a;2-ab",
            "05@a", "5@a@b", "5A@a", "5@a\n", "\t5@a", "5@a;2@b,",
        ] {
            #expect(throws: VersionError.malformed, "\(text)") { try VersionVector(expanded(text)) }
        }
    }

    @Test("what is longer than a vector may be is refused before it is read")
    func tooLong() throws {
        let many = (1...1_024 as ClosedRange<UInt64>).map { version($0, source(numbered: Int($0))) }
        let text = many.map(\.description)
        #expect(throws: VersionError.tooLong) {
            try VersionVector("1@AQIDBAUGBwgJCgsMDQ4PEA;" + text.joined(separator: ","))
        }
        #expect(
            try VersionVector("1@AQIDBAUGBwgJCgsMDQ4PEA;" + text.dropLast().joined(separator: ",")).previous.count
                == 1_023)
        #expect(throws: VersionError.tooLong) { try VersionVector(String(repeating: " ", count: 65_537)) }
    }

    @Test("ids of a tree stand behind all versions, and a revision of a tree has them alone")
    func legacy() throws {
        for (text, canonical) in [
            ("4@a;3@b, 2-abc, 1-def", "4@a; 3@b, 2-abc, 1-def"), ("4@a;2-abc,1-def", "4@a; 2-abc, 1-def"),
            ("4@a,3@b,2@c;2-abc", "4@a, 3@b, 2@c; 2-abc"), ("2-abc", "2-abc"), ("2-abc,1-def", "2-abc, 1-def"),
        ] {
            #expect(try VersionHistory(expanded(text)).text == expanded(canonical), "\(text)")
        }
        for text in ["2-abc,4@a", "4@a;2-abc,3@b", "2-abc;1-def", "4@a;2-", "4@a;0-abc"] {
            #expect(throws: VersionError.malformed, "\(text)") { try VersionHistory(expanded(text)) }
        }
    }

    /// The forms of the property `history` of messages that real peers sent, beside the current version in `rev`: Sync
    /// Gateway 4.1.1, which writes no spaces, and Couchbase Lite Core 4.0.4, which does.
    @Test(
        "each form of a history that real peers write is read",
        arguments: [
            ("", "5@a"), ("3@b", "5@a; 3@b"), ("3@b,2@c", "5@a; 3@b, 2@c"), ("4@b, 3@c, 2@d", "5@a; 4@b, 3@c, 2@d"),
            ("4@a,3@b;", "5@a, 4@a, 3@b;"), ("4@a, 3@b; 2@c", "5@a, 4@a, 3@b; 2@c"), ("4@b;", "5@a; 4@b"),
            ("4@a,3@b;,3-cc,2-bb,1-aa", "5@a, 4@a, 3@b; 3-cc, 2-bb, 1-aa"), ("4@a,3@b;,3-cc", "5@a, 4@a, 3@b; 3-cc"),
            ("4@b;,3-cc,2-bb", "5@a; 4@b, 3-cc, 2-bb"), ("4@a, 3@b; 3-cc", "5@a, 4@a, 3@b; 3-cc"),
            ("4@a,3@b;2@c,3-cc,2-bb", "5@a, 4@a, 3@b; 2@c, 3-cc, 2-bb"), ("3-cc,2-bb,1-aa", "5@a; 3-cc, 2-bb, 1-aa"),
            ("3-cc", "5@a; 3-cc"), ("3@b, 3-cc", "5@a; 3@b, 3-cc"), ("3@b,3-cc,2-bb", "5@a; 3@b, 3-cc, 2-bb"),
            ("3@b,4-dd,3-cc,2-bb,1-aa", "5@a; 3@b, 4-dd, 3-cc, 2-bb, 1-aa"),
        ])
    func peers(_ history: String, _ whole: String) throws {
        let read = try VersionHistory(version: expanded("5@a"), history: expanded(history))
        #expect(read.text == expanded(whole))
        #expect(try VersionHistory(version: read.versionText, history: read.historyText) == read)
    }

    @Test(
        "what is like a form of real peers and isn't one is refused",
        arguments: [
            ";", ",", ";3-cc", ",3-cc", ";,3-cc", ",;3-cc", "4@b;,", "4@b;,,3-cc", "4@b;;3-cc", "4@b,;3-cc",
            "4@b;,3@c", "4@b;,3@c,3-cc", "4@b;,3-cc,", "4@b;,3-cc,,2-bb", "4@b;,3-cc,2@c", "4@b;,3-cc;",
            "4@b;3@c,,3-cc",
            "4@b,,3@c", "3-cc,4@b", "3-cc;", "4@b,3-cc;", "3-cc;4@b", "3-cc,,2-bb", "3-cc,", "4@b,3@c;,0-cc",
            "4@b,3@c;,3-", "4@b 3@c",
        ])
    func nearPeers(_ history: String) {
        #expect(throws: VersionError.malformed) {
            try VersionHistory(version: expanded("5@a"), history: expanded(history))
        }
    }

    @Test("a version and a history are joined as peers mean them")
    func messages() throws {
        for (version, history, whole) in [
            ("5@a", "", "5@a"), ("5@a", "3@b,2@c", "5@a; 3@b, 2@c"), ("7@a", "6@a,4@c;", "7@a, 6@a, 4@c;"),
            ("7@a", "6@a, 4@c; 2@d", "7@a, 6@a, 4@c; 2@d"), ("4@a", "2-abcd,1-ef01", "4@a; 2-abcd, 1-ef01"),
            ("4@a", "3@b, 2-abc", "4@a; 3@b, 2-abc"), ("4@a", "3@b, 2@c; 2-abc", "4@a, 3@b, 2@c; 2-abc"),
            ("3-abc", "2-abd,1-a", "3-abc, 2-abd, 1-a"), ("3-abc", " ", "3-abc"),
        ] {
            let read = try VersionHistory(version: expanded(version), history: expanded(history))
            #expect(read.text == expanded(whole), "\(version) \(history)")
            let again = try VersionHistory(version: read.versionText, history: read.historyText)
            #expect(again == read, "\(version) \(history)")
        }
        for (version, history) in [
            ("5@a;3@b", ""), ("5@a,3@b", "2@c"), ("5@a", ";"), ("3-abc", "2@b"), ("", "2-a"),
            // A combining mark doesn't hide the comma before it.
            ("3-abc", "\u{5C2}2-a"),
        ] {
            #expect(throws: VersionError.malformed, "\(version) \(history)") {
                try VersionHistory(version: expanded(version), history: expanded(history))
            }
        }
    }
}
