import Testing

@testable import SealiteRevisions

@Suite("histories of versions")
struct VersionHistoryTests {
    @Test("a revision of a tree has the version of Sync Gateway that encodes it")
    func encoded() throws {
        for (id, text) in [
            ("2-5717cf7f71107591fddfa4ccb2e8a6a91bea6241", "25717cf7f71@Revision+Tree+Encoding"),
            ("1-abc", "1abc0000000@Revision+Tree+Encoding"), ("300-ff", "12cff00000000@Revision+Tree+Encoding"),
        ] {
            #expect(SourceVersion(encoding: try #require(RevisionID(id)))?.description == text)
        }
        for id in ["1-x y!", "1-+abc", "1--0", "8388608-ab"] {
            #expect(SourceVersion(encoding: try #require(RevisionID(id))) == nil, "\(id)")
        }
    }

    @Test("a vector is newer than a revision of a tree that it is proven to descend from")
    func mixed() {
        for (left, right, order) in [
            ("5@a;2-ab,1-aa", "2-ab,1-aa", VersionOrder.newer), ("5@a;2-ab,1-aa", "1-aa", .newer),
            ("5@a;2-ab,1-aa", "3-ac,2-ab,1-aa", .conflicting), ("5@a;2-ab,1-aa", "2-ac,1-aa", .conflicting),
            ("5@a", "2-ab,1-aa", .conflicting), ("5@a;4@b", "1-aa", .conflicting),
            ("3-ac,2-ab", "2-ab,1-aa", .newer), ("2-ab", "2-ab,1-aa", .same), ("2-ab,1-aa", "2-ac,1-aa", .conflicting),
            ("3-ac", "2-ab", .conflicting), ("5@a;2-ab", "4@b;2-ac", .conflicting),
            ("5@a;4@b,2-ab", "4@b;2-ac", .newer),
            ("5@a;2-ab", "5@a;2-ac", .same),
        ] {
            #expect(history(left).order(to: history(right)) == order, "\(left) \(right)")
            #expect(history(right).order(to: history(left)) == order.reversed, "\(right) \(left)")
        }
    }

    @Test("a revision that Sync Gateway encoded is that revision, and proves no other one")
    func encodedOrder() throws {
        let old = history("2-5717cf7f71107591fddfa4ccb2e8a6a91bea6241,1-aa")
        let encoded = try VersionHistory("25717cf7f71@Revision+Tree+Encoding")
        #expect(encoded.order(to: old) == .same && old.order(to: encoded) == .same)
        let changed = try VersionHistory(expanded("5@a;") + "25717cf7f71@Revision+Tree+Encoding")
        #expect(changed.order(to: old) == .newer && old.order(to: changed) == .older)
        // A greater generation is no proof: it may have been another branch's.
        let later = try VersionHistory(expanded("5@a;") + "35717cf7f71@Revision+Tree+Encoding")
        #expect(later.order(to: old) == .conflicting)
        #expect(later.order(to: encoded) == .conflicting && changed.order(to: encoded) == .newer)
    }

    @Test("a merge made twice, and a document made again over a tombstone that was sent, are no conflicts")
    func decisions() {
        func decision(_ own: String, _ incoming: String, sent: Bool = false, equal: Bool = false) -> VersionOrder {
            history(own).decision(on: history(incoming), isSentTombstone: sent, hasEqualBody: equal)
        }
        #expect(decision("5@a", "6@a") == .newer && decision("5@a", "4@a") == .older && decision("5@a", "5@a") == .same)
        #expect(decision("5@a", "6@b") == .conflicting)
        #expect(decision("5@a", "6@b", sent: true) == .newer)
        #expect(decision("5@a;4@b", "6@c;4@b", sent: true) == .conflicting)
        #expect(decision("9@a,6@b,5@c;", "8@d,6@b,5@c;", equal: true) == .older)
        #expect(decision("8@d,6@b,5@c;", "9@a,6@b,5@c;", equal: true) == .newer)
        #expect(decision("8@d,6@b,5@c;", "9@a,6@b,5@c;") == .conflicting)
        #expect(decision("5@a", "6@b", equal: true) == .conflicting)
        #expect(decision("2-ab", "6@b", sent: true) == .conflicting)
    }

    @Test("what is made of a revision of a tree proves that it descends from it")
    func making() throws {
        let (tree, other) = (history("2-ab,1-aa"), history("2-ac,1-aa"))
        let changed = tree.changed(to: vector("5@a").current)
        #expect(changed == history("5@a;2-ab,1-aa"))
        #expect(changed.changed(to: vector("6@b").current) == history("6@b;5@a,2-ab,1-aa"))
        #expect(changed.knows(tree) && !changed.knows(other) && !tree.knows(changed))
        let merged = tree.merged(with: other, to: vector("5@a").current)
        #expect(merged == history("5@a;2-ac,2-ab,1-aa"))
        #expect(merged.knows(tree) && merged.knows(other))
        #expect(history("5@a").merged(with: tree, to: vector("6@b").current) == history("6@b;5@a,2-ab,1-aa"))
        #expect(history("5@a").absorbing(tree) == history("5@a;2-ab,1-aa"))
        #expect(tree.absorbing(other) == nil)
        #expect(history("2-x y!").absorbing(history("5@a")) == nil)
        let kept = try #require(history("2-5717cf7f71,1-aa").absorbing(history("5@a;4@b")))
        #expect(kept.versionText == "25717cf7f71@Revision+Tree+Encoding")
        #expect(kept.knows(history("5@a")) && kept.knows(history("2-5717cf7f71")) && kept.knows(history("1-aa")))
        let long = VersionHistory(
            try #require(RevisionID("40-ab")), ancestors: (1..<40).reversed().compactMap { RevisionID("\($0)-a") })
        // The oldest one too, for a peer that has just that.
        #expect(long.changed(to: vector("5@a").current).revisions.map(\.generation) == (22...40).reversed() + [1])
    }

    @Test("a state that follows another one keeps its tree ids, which other peers expect, though the peer doesn't")
    func keepsRevisions() {
        let old = history("5@a;2-ab,1-aa")
        #expect(history("6@b;5@a").succeeding(old) == history("6@b;5@a,2-ab,1-aa"))
        #expect(history("6@b;5@a,3-ac").succeeding(old) == history("6@b;5@a,3-ac,2-ab,1-aa"))
        #expect(history("6@b").succeeding(history("2-ab,1-aa")) == history("6@b;2-ab,1-aa"))
        #expect(history("6@b;2-ab").succeeding(history("2-ab,1-aa")) == history("6@b;2-ab,1-aa"))
        #expect(history("3-ac,2-ab").keepingRevisions(of: old) == history("3-ac,2-ab"))
        let kept = history("6@b;5@a,2-ab")
        #expect(kept.keepingRevisions(of: history("2-ab")) == kept)
    }

    @Test("an ID of a revision is a tree's or a version, in text and stored")
    func ids() throws {
        let version = vector("5@a").current
        let id = try #require(RevisionID(expanded("5@a")))
        #expect(id.version == version && id.generation == 0 && id == RevisionID(version))
        #expect(id.description == expanded("5@a") && id.textByteCount == 24)
        #expect(id.stored == version.storedCurrent && RevisionID(stored: id.stored) == id)
        #expect(RevisionID(stored: Array(id.stored.dropLast())) == nil && RevisionID(stored: id.stored + [0]) == nil)
        #expect(RevisionID(ofTree: expanded("5@a")) == nil && RevisionID("5@a") == nil)
        #expect(Version(expanded("5@a")) == Version(id) && Version(id).id == id && Version(id).revisionID == nil)
        #expect(Version(expanded("5@a;4@b")).id == nil)
        let tree = try #require(RevisionID("1-ab"))
        #expect(tree < id && !(id < tree) && !(id < id) && RevisionID(vector("4@b").current) < id)
        #expect(history("5@a;2-ab").id == id && history("1-ab").id == tree)
    }

    @Test("a history is stored and read")
    func stored() throws {
        for text in [
            "5@a", "5@a;3@b,2@c", "7@a,6@a,4@c;2@d, 2-abcd, 1-x y!", "3-abcd,2-ab,1-aa", "2-ab",
        ] {
            let history = history(text)
            var bytes: [UInt8] = [0xAA]
            history.appendStored(to: &bytes)
            let current = history.vector?.current.storedCurrent ?? history.revisions[0].stored
            var position = 1
            #expect(VersionHistory(current: current, stored: bytes.span, &position) == history, "\(text)")
            #expect(position == bytes.count)
            for end in 1..<bytes.count {
                position = 1
                if VersionHistory(current: current, stored: Array(bytes[..<end]).span, &position) != nil {
                    Issue.record("\(text) is read though it is cut at \(end)")
                }
            }
        }
    }

    @Test("a damaged stored form is refused")
    func damaged() throws {
        let current = vector("5@a").current.storedCurrent
        #expect(current.count == 25 && current.first == 1)
        #expect(SourceVersion(storedCurrent: current)?.description == expanded("5@a"))
        #expect(SourceVersion(storedCurrent: [2] + current.dropFirst()) == nil)
        #expect(SourceVersion(storedCurrent: [UInt8](repeating: 1, count: 1) + [UInt8](repeating: 0, count: 24)) == nil)
        func read(_ current: [UInt8], _ bytes: [UInt8]) -> VersionHistory? {
            var position = 0
            return VersionHistory(current: current, stored: bytes.span, &position)
        }
        let (own, other) = (Array(current.dropFirst()), Array(vector("3@b").current.storedCurrent.dropFirst()))
        #expect(read(current, [0, 1] + other + [0]) != nil)
        let wrong: [[UInt8]] = [
            [0, 1] + own + [0], [1] + other + [0, 0], [0, 2] + other + other + [0], [0, 0, 1, 0], [0, 0, 1, 5, 2, 1],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0, 0x80, 0x08, 0],
        ]
        for bytes in wrong { #expect(read(current, bytes) == nil, "\(bytes)") }
        #expect(read([4, 0xAB], [0, 1] + other + [0]) == nil)
        #expect(read([], [0, 0, 0]) == nil)
    }

    @Test("two revisions of which each is called the other's ancestor conflict, whichever is compared")
    func mutualAncestors() throws {
        let (one, two) = (try VersionHistory("1-a, 1-b"), try VersionHistory("1-b, 1-a"))
        #expect(one.order(to: two) == .conflicting && two.order(to: one) == .conflicting)
    }
}
