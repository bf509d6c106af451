@testable import SealiteProtocolTestSupport
import Testing

@testable import SealiteProtocol
import SealiteRevisions

@Suite("messages of the replication protocol")
struct MessageTests {
    static let limits = MessageLimits()

    private func request(_ properties: BLIPProperties, _ body: String = "") -> BLIPRequest {
        BLIPRequest(number: 1, properties: properties, body: Array(body.utf8))
    }

    private func reply(_ body: String) -> BLIPReply { BLIPReply(body: Array(body.utf8)) }

    @Test("revision ids are told apart by their bytes")
    func exactRevisionIDs() throws {
        let (composed, decomposed) = (Version("1-\u{E9}"), Version("1-e\u{301}"))
        #expect(composed.text == decomposed.text)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test("rows of changes keep sequences as they are, and know flags of both forms")
    func changesRows() throws {
        let body =
            #"[[1,"a","1-a"],["115:110","d\u00e4","2-b",2],[12345678901234567890,"c","3-c",true,17],[4,"d","4-d",5]]"#
        let rows = try ChangesRequest(request(["Profile": "changes", "collection": "1"], body), limits: Self.limits)
            .rows
        #expect(rows.map(\.sequence.json) == ["1", "\"115:110\"", "12345678901234567890", "4"])
        #expect(rows.map(\.documentID) == ["a", "dä", "c", "d"])
        #expect(rows.map(\.flags) == [[], .revoked, .deleted, [.deleted, .removed]])
        #expect(rows.map(\.flags.isAccessRemoved) == [false, true, false, false])
        #expect(rows.map(\.bodyByteCount) == [nil, nil, 17, nil])
    }

    @Test("only a known flag of a row says that access is lost", arguments: UInt8.min...UInt8.max)
    func unknownFlags(_ bits: UInt8) {
        let known = bits & 7
        let isLost = ChangesRequest.Flags(rawValue: bits).isAccessRemoved
        #expect(isLost == [2, 3, 4, 6, 7].contains(known))
    }

    @Test("an empty list of changes may be nothing, null or an empty array", arguments: ["", "null", "[]", " [ ] "])
    func noChanges(_ body: String) throws {
        #expect(try ChangesRequest(request([:], body), limits: Self.limits).rows.isEmpty)
        #expect(try ChangesReply(reply(body), limits: Self.limits).items.isEmpty)
        #expect(try ProposeChangesReply(reply(body), limits: Self.limits).items.isEmpty)
    }

    @Test(
        "a list of changes of another shape is refused",
        arguments: [
            "{}", "1", "[1]", "[[]]", "[[1]]", #"[[1,"a"]]"#, #"[[1,2,"1-a"]]"#, #"[["1","","1-a"]]"#,
            #"[[null,"a","1-a"]]"#,
            #"[[1,"a",""]]"#, #"[[1,"a","x"]]"#, #"[[1,"a","0-a"]]"#, #"[[1,"a","1-"]]"#, #"[[1,"a","1-a"]"#,
            "[[1,\"a\",\"1-a\"]]x",
        ])
    func badChanges(_ body: String) {
        #expect(throws: MessageError.self) { try ChangesRequest(request([:], body), limits: Self.limits) }
    }

    @Test("a list of a million rows is refused after the first ten thousand")
    func millionRows() {
        let body = "[" + String(repeating: #"[1,"a","1-a"],"#, count: 1_000_000) + "0]"
        #expect(throws: MessageError(.tooLarge, "")) { try ChangesRequest(request([:], body), limits: Self.limits) }
        let answer = "[" + String(repeating: "0,", count: 1_000_000) + "0]"
        #expect(throws: MessageError(.tooLarge, "")) { try ChangesReply(reply(answer), limits: Self.limits) }
    }

    @Test("every form of an answer to changes is understood")
    func changesReply() throws {
        let body = "[0,null,false,[],[\"1-a\",\n\"2-b\"],409,{},\"x\",[1]]"
        let items = try ChangesReply(reply(body), limits: Self.limits).items
        let ancestors = [Version("1-a"), Version("2-b")]
        #expect(
            items == [
                .skip, .skip, .skip, .send(ancestors: []), .send(ancestors: ancestors), .refused(status: 409), .skip,
                .skip, .send(ancestors: []),
            ])
        let message = ChangesReply(items: [.skip, .send(ancestors: ancestors), .skip, .skip], maxHistory: 50).message
        #expect(String(decoding: message.body, as: UTF8.self) == #"[0,["1-a","2-b"]]"#)
        #expect(message.properties == ["maxHistory": "50"])
    }

    @Test("of the ancestors that a peer names a few short ones are read, and the rest is passed over")
    func ancestors() throws {
        let long = "1-" + String(repeating: "a", count: Self.limits.ancestorByteCount - 1)
        let named = ["\"\(long)\"", "\"\(long.dropLast())\"", "7"] + (1...100).map { "\"\($0)-a\"" }
        let items = try ChangesReply(reply("[[\(named.joined(separator: ","))],0]"), limits: Self.limits).items
        let read = [String(long.dropLast())] + (1..<Self.limits.ancestorCount).map { "\($0)-a" }
        #expect(items == [.send(ancestors: read.map { Version($0) }), .skip])
    }

    @Test("every form of an answer to proposals is understood, and trailing zeros are left out")
    func proposeReply() throws {
        let body = #"[0,304,409,{"status":409,"rev":"3-c"},{"rev":"","status":409},403,{}]"#
        let items = try ProposeChangesReply(reply(body), limits: Self.limits).items
        #expect(
            items == [
                .wanted, .known, .conflict(current: nil), .conflict(current: Version("3-c")),
                .conflict(current: nil),
                .refused(status: 403), .wanted,
            ])
        let sent = ProposeChangesReply(items: items)
        #expect(
            String(decoding: sent.message(includingConflicting: true).body, as: UTF8.self)
                == #"[0,304,{"status":409,"rev":""},{"status":409,"rev":"3-c"},{"status":409,"rev":""},403]"#)
        #expect(
            String(decoding: sent.message(includingConflicting: false).body, as: UTF8.self) == "[0,304,409,409,409,403]"
        )
        #expect(throws: MessageError(.wrongShape, "")) {
            try ProposeChangesReply(reply("[\"x\"]"), limits: Self.limits)
        }
    }

    @Test("the revision of a replication checkpoint is found under both names")
    func checkpointRevision() throws {
        let items = try GetCollectionsReply(
            reply(#"[null,{},{"_rev":"0-3","local":1},{"local":2,"rev":"1-cc"}]"#), count: 4, limits: Self.limits
        ).items
        #expect(items[0] == .missing && items[1] == .withoutCheckpoint)
        #expect(items[2] == .checkpoint(body: Array(#"{"_rev":"0-3","local":1}"#.utf8), revision: "0-3"))
        #expect(items[3] == .checkpoint(body: Array(#"{"local":2,"rev":"1-cc"}"#.utf8), revision: "1-cc"))
        let sent = GetCollectionsReply(items: [
            .missing, .withoutCheckpoint, .checkpoint(body: Array(#"{"a":1.0}"#.utf8), revision: "2-cc"),
        ])
        #expect(String(decoding: sent.message.body, as: UTF8.self) == #"[null,{},{"a":1.0,"rev":"2-cc"}]"#)
        #expect(throws: MessageError(.wrongShape, "")) {
            try GetCollectionsReply(reply("[{}]"), count: 2, limits: Self.limits)
        }
    }

    @Test(
        "a getCollections request of another shape is refused",
        arguments: [
            "", "[]", "{}", #"{"collections":["a"]}"#, #"{"checkpoint_ids":["a"]}"#,
            #"{"checkpoint_ids":["a"],"collections":["a","b"]}"#,
            #"{"checkpoint_ids":["a","b"],"collections":["a","a"]}"#,
            #"{"checkpoint_ids":[],"collections":[]}"#, #"{"checkpoint_ids":[1],"collections":["a"]}"#,
        ])
    func badCollections(_ body: String) {
        #expect(throws: MessageError.self) { try GetCollectionsRequest(request([:], body), limits: Self.limits) }
    }

    @Test("yes and no are written in several ways")
    func flags() {
        let properties: BLIPProperties = [
            "a": "true", "b": "1", "c": "YES", "d": "0", "e": "false", "f": "no", "g": "x",
        ]
        #expect(["a", "b", "c"].allSatisfy { properties.flag($0) })
        #expect(!["d", "e", "f", "g", "missing"].contains { properties.flag($0) })
    }

    @Test("a revision is sent with the properties that peers expect")
    func revision() throws {
        var revision = RevisionRequest(
            documentID: "d", version: Version("2-b"), sequence: RemoteSequence(7), history: "1-a",
            isDeleted: true,
            isConflictRefused: true, body: [], collection: 3)
        revision.deltaSource = Version("1-a")
        let expected: [(String, String)] = [
            ("Profile", "rev"), ("collection", "3"), ("id", "d"), ("rev", "2-b"), ("sequence", "7"), ("deleted", "1"),
            ("history", "1-a"), ("noconflicts", "true"), ("deltaSrc", "1-a"),
        ]
        #expect(revision.message.properties.pairs.map(\.name) == expected.map(\.0))
        #expect(revision.message.properties.pairs.map(\.value) == expected.map(\.1))
        #expect(revision.message.body == Array("{}".utf8))
        revision.body = Array("{}".utf8)
        let message = revision.message
        #expect(try RevisionRequest(request(message.properties, "{}"), limits: Self.limits) == revision)
    }

    @Test(
        "a revision without what it needs is refused",
        arguments: [
            (["rev": "1-a"], MessageError.Code.missingProperty), (["id": "", "rev": "1-a"], .missingProperty),
            (["id": "d"], .missingProperty), (["id": "d", "rev": "garbage"], .badProperty),
            (["id": "d", "rev": "1-a", "sequence": "{}"], .wrongShape),
            (["id": "d", "rev": "1-a", "sequence": ""], .notJSON),
            (["id": "d", "rev": "1-a", "collection": "x"], .badCollection),
            (["id": "d", "rev": "1-a", "collection": "-1"], .badCollection),
        ] as [([String: String], MessageError.Code)])
    func badRevision(_ pairs: [String: String], _ code: MessageError.Code) {
        var properties = BLIPProperties()
        for (name, value) in pairs { properties[name] = value }
        #expect(throws: MessageError(code, "")) { try RevisionRequest(request(properties, "{}"), limits: Self.limits) }
    }

    @Test("a digest has one form")
    func digests() {
        #expect(BlobDigest("sha1-ArH2IhJgRp/90GRqSAdAfa750BE=") != nil)
        for text in [
            "", "sha1-", "sha1-ArH2IhJgRp/90GRqSAdAfa750BE", "md5-ArH2IhJgRp/90GRqSAdAfa750BEA=",
            "sha1-../2IhJgRp/90GRqSAdAfa750BE=", "sha1-ArH2IhJgRp/90GRqSAdAfa750BE=x",
        ] {
            #expect(BlobDigest(text) == nil)
        }
    }

    @Test("an attachment is proven by the digest of nonce and content")
    func proof() throws {
        let request = try ProveAttachmentRequest(
            BLIPRequest(
                number: 1, properties: ["digest": "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="], body: Array(0...0x13)))
        let hash = TestDigest.sha1(request.hashedPrefix + Array("Hello, blob!".utf8))
        #expect("sha1-" + hash.base64 == "sha1-9Z8YoI6cEYJ3rZlV3gTCG+NAG90=")
        for count in [0, 256] {
            let properties: BLIPProperties = ["digest": request.digest.description]
            #expect(throws: MessageError(.badProperty, "")) {
                try ProveAttachmentRequest(
                    BLIPRequest(number: 1, properties: properties, body: [UInt8](repeating: 1, count: count)))
            }
        }
    }

    @Test("the commas of a history separate whatever follows them, a combining mark too")
    func history() throws {
        let limits = MessageLimits()
        #expect(try Version.history(parsing: "2-b, 1-a", limits: limits).map(\.text) == ["2-b", "1-a"])
        let merged = "6@AQIDBAUGBwgJCgsMDQ4PEA,5@ABEiM0RVZneImaq7zN3u/w;"
        #expect(try Version.history(parsing: "\(merged),2-b,1-a", limits: limits).map(\.text).last == "1-a")
        #expect(try Version.history(parsing: " ", limits: limits) == [])
        for wrong in ["2-b,\u{5C2}1-a", "2-b,,1-a", ",2-b", "2-b,", "\(merged),,2-b", "\(merged),"] {
            #expect(throws: MessageError.self, "\(wrong)") { try Version.history(parsing: wrong, limits: limits) }
        }
    }
}
