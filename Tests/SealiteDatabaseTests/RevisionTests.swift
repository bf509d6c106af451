import SealiteRevisions
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

@Suite("revision ids and trees")
struct RevisionTests {
    private func id(_ generation: UInt32, _ digit: Character = "a") throws -> RevisionID {
        try #require(RevisionID("\(generation)-" + String(repeating: digit, count: 40)))
    }

    @Test(
        "ids keep their text, whatever the digest's form",
        arguments: [
            "1-72a4f84acad461d231912aceee4d9c70a5f786c2", "2-525eecc9be83613193f44fbfa6095c09", "1-ab", "1-AB", "1-aB",
            "1-a`",
            "1-abc",
            "10-not hex", "4294967294-00", "7-1-2", "1-" + String(repeating: "ab", count: 21), "1-é",
        ])
    func textForm(text: String) throws {
        let id = try #require(RevisionID(text))
        #expect(id.description == text)
        #expect(RevisionID(stored: id.stored) == id)
        #expect(id.generation == UInt32(text.prefix { $0 != "-" }))
    }

    @Test(
        "text that is no id is refused",
        arguments: [
            "", "1", "1-", "-1", "0-ab", "01-ab", "x-ab", "4294967295-ab", "99999999999-ab", "+1-ab", "1 -ab",
            "1-" + String(repeating: "x", count: 254),
        ])
    func badText(text: String) {
        #expect(RevisionID(text) == nil)
    }

    @Test("ids are told apart by their bytes, though Swift takes the texts for the same")
    func exactText() throws {
        let composed = try #require(RevisionID("1-\u{E9}"))
        let decomposed = try #require(RevisionID("1-e\u{301}"))
        #expect(composed.description == decomposed.description)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test("ids order by generation, then by the digest's text")
    func order() throws {
        let sorted = try ["2-ff", "10-00", "1-ab", "2-fe", "2-fe00"].map { try #require(RevisionID($0)) }.sorted()
        #expect(sorted.map(\.description) == ["1-ab", "2-fe", "2-fe00", "2-ff", "10-00"])
    }

    @Test("a document keeps the newest revisions of its line, as many as configured", arguments: [1, 2, 5, 20])
    func boundedDepth(depth: Int) throws {
        var configuration = DatabaseConfiguration()
        configuration.maximumRevisionDepth = depth
        let test = try TestDatabase(configuration)
        let document = MutableDocument(id: "a")
        var ids: [String] = []
        for index in 0..<30 {
            ids.append(try test.collection.save(document: document.setInt(index, forKey: "x")).revisionID)
            let line = try test.collection.revisions(id: "a")
            #expect(line.map(\.id.description) == ids.reversed().prefix(depth).map { $0 })
            #expect(line[0].isCurrent)
            #expect(line.last?.parent == nil)
        }
    }

    /// A tree with everything in it: a line of five, a branch from its middle in conflict, two remotes.
    private func fullTree() throws -> RevisionTree {
        var tree = RevisionTree(root: try id(1), flags: [])
        for generation in UInt32(2)...5 { tree.advance(to: try id(generation), flags: []) }
        let middle = try #require(tree.index(of: id(3)))
        let leaf = tree.graft(
            [try id(4, "b"), try id(5, "b")], onto: middle, leafFlags: [.conflict, .deleted], leafBody: [0x0C])
        tree.setRemote(1, to: leaf)
        tree.setRemote(300, to: middle)
        tree.setBody([0x1C, 0x00], at: middle)
        return tree
    }

    @Test("trees come back from their stored form, in its short and its long form")
    func storedForm() throws {
        let tree = try fullTree()
        let stored = try #require(tree.stored)
        #expect(stored[0] == 2)
        #expect(try RevisionTree(stored: stored, current: id(5), isDeleted: false) == tree)
        var line = RevisionTree(root: try id(1), flags: [])
        #expect(line.stored == nil)
        line.advance(to: try id(2), flags: [])
        line.advance(to: try id(3), flags: .deleted)
        let short = try #require(line.stored)
        #expect(short.count == 1 + 2 * 22)
        let read = try RevisionTree(stored: short, current: id(3), isDeleted: true)
        #expect(read.ancestors(of: 0).map { read.nodes[$0].id } == [try id(2), try id(1)])
        #expect(read.stored == short)
        let extended = RevisionTree.extendedLine(short, by: try id(3), depth: 3)
        let cut = try RevisionTree(stored: extended, current: id(4), isDeleted: false)
        #expect(cut.nodes.map(\.id) == [try id(4), try id(3), try id(2)])
    }

    @Test("the ends of the histories that remotes expect are stored, and read only whole")
    func storedEnds() throws {
        let version = try #require(RevisionID("18e9f04b267a0000@AQIDBAUGBwgJCgsMDQ4PEA"))
        let history = VersionHistory(VersionVector(try #require(version.version)), revisions: [try id(2), try id(1)])
        let bare = RevisionTree(
            nodes: [.init(id: version, flags: [], history: history)], remotes: [1: 0, 2: 0, 300: 0])
        var tree = bare
        tree.setEnd(.revision(try id(2)), ofRemote: 300)
        tree.setEnd(.nothing, ofRemote: 1)
        let (short, stored) = (try #require(bare.stored), try #require(tree.stored))
        #expect(stored.starts(with: short) && stored.count == short.count + 1 + 2 + 2 + 22)
        #expect(try RevisionTree(stored: stored, current: version, isDeleted: false) == tree)
        #expect(try RevisionTree(stored: short, current: version, isDeleted: false) == bare)
        for damaged in (short.count + 1..<stored.count).map({ Array(stored[..<$0]) }) + [short + [0], stored + [0]] {
            #expect(
                code { _ = try RevisionTree(stored: damaged, current: version, isDeleted: false) } == .corruptData)
        }
    }

    @Test("a stored tree whose current revision has a child is refused")
    func currentRevisionIsLeaf() throws {
        var tree = RevisionTree(root: try #require(RevisionID("1-aa")), flags: [])
        _ = tree.graft([try #require(RevisionID("2-bb"))], onto: 0, leafFlags: .conflict, leafBody: [0x0C])
        let stored = tree.stored
        #expect(
            code {
                _ = try RevisionTree(stored: stored, current: try #require(RevisionID("1-aa")), isDeleted: false)
            } == .corruptData)
    }

    @Test("a damaged stored tree is refused or read, never trapped on")
    func damagedTree() throws {
        let stored = try #require(try fullTree().stored)
        for count in 0..<stored.count {
            #expect(
                code { _ = try RevisionTree(stored: Array(stored[..<count]), current: id(5), isDeleted: false) }
                    == .corruptData)
        }
        var generator = SeededRandom()
        for _ in 0..<20_000 {
            var damaged = stored
            for _ in 0...generator.below(3) {
                damaged[generator.below(damaged.count)] = UInt8.random(in: 0...255, using: &generator)
            }
            let tree = try? RevisionTree(stored: damaged, current: id(5), isDeleted: false)
            guard var tree else { continue }
            tree.prune(depth: 2)
            for index in tree.nodes.indices { _ = tree.ancestors(of: index) }
        }
    }

    @Test("pruning keeps leaves, what remotes name and no other bodies")
    func pruning() throws {
        var tree = try fullTree()
        tree.prune(depth: 1)
        #expect(Set(tree.nodes.map(\.id)) == [try id(5), try id(5, "b"), try id(3)])
        #expect(tree.nodes[0].parent.map { tree.nodes[$0].id } == (try id(3)))
        #expect(tree.revision(ofRemote: 300)?.body == [0x1C, 0x00])
        #expect(tree.revision(ofRemote: 1)?.body == [0x0C])
        #expect(tree.conflicts.count == 1)
    }

    @Test("history ends at what the peer knows, fills gaps and respects the limit")
    func history() throws {
        var tree = try fullTree()
        #expect(tree.history(of: 0, knownToPeer: [], limit: 50) == [try id(4), try id(3), try id(2), try id(1)])
        #expect(tree.history(of: 0, knownToPeer: [try id(3)], limit: 50) == [try id(4), try id(3)])
        #expect(tree.history(of: 0, knownToPeer: [try id(1)], limit: 2) == [try id(4), try id(1)])
        #expect(tree.history(of: 0, knownToPeer: [], limit: 2) == [try id(4), try id(3)])
        tree.prune(depth: 1)
        let faded = try #require(RevisionID("4-faded" + String(repeating: "0", count: 35)))
        #expect(tree.history(of: 0, knownToPeer: [], limit: 50) == [faded, try id(3)])
    }

    @Test("removing a branch keeps what other branches share with it")
    func removeBranch() throws {
        var tree = try fullTree()
        tree.removeBranch(try #require(tree.index(of: id(5, "b"))))
        #expect(Set(tree.nodes.map(\.id)) == Set(try (1...5).map { try id($0) }))
        #expect(tree.remotes.keys.sorted() == [300])
        #expect(tree.current.id == (try id(5)))
    }
}
