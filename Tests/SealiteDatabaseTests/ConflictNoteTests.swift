import Testing

@testable import SealiteDatabase

@Suite("the stored list of conflicts")
struct ConflictNoteTests {
    let test: TestDatabase
    let collection: SealiteDatabase.Collection
    let view: ReplicatedCollection

    init() throws {
        test = try TestDatabase()
        collection = try test.collection
        view = ReplicatedCollection(collection: collection, remote: try test.database.remoteNumber("ws://127.0.0.1/db"))
    }

    /// Saves documents without a conflict.
    private func fill(_ prefix: String, _ count: Int) throws {
        try test.database.write { _ in
            for number in 0..<count { try collection.save(document: MutableDocument(id: "\(prefix)\(number)")) }
        }
    }

    /// Makes documents whose first change here and whose first change by the remote conflict.
    private func conflict(_ ids: [String]) throws {
        try test.database.write { _ in
            for id in ids { try collection.save(document: MutableDocument(id: id).setInt(1, forKey: "mine")) }
        }
        let theirs = try ids.map { id in
            try TreeRevision(
                IncomingRevision(
                    documentID: id, version: Version("1-bb"), history: [], isDeleted: false, isConflictRefused: false,
                    body: Array("{}".utf8)))
        }
        #expect(try view.insert(theirs).map { try? $0.get() } == ids.map { _ in .conflict })
    }

    private func found(after sequence: UInt64 = 0, limit: Int = 100) throws -> [String] {
        try collection.conflictedDocuments(after: sequence, limit: limit).map(\.id)
    }

    /// The steps of SQLite that a look for conflicts takes, with the note that precedes it.
    private func steps() throws -> Int {
        try collection.noteConflicts()
        return try test.database.read {
            try test.database.reading { connection in
                try StatementWork.counted(connection) {
                    try collection.noteConflicts()
                    _ = try found()
                }
            }.steps()
        }
    }

    @Test("the list isn't made while another handle of the file writes, which is no error")
    func busy() throws {
        try fill("a", 1_000)
        let stored = { try self.test.database.reading { try ConflictNote.read(ofCollection: collection.number, $0) } }
        let other = try test.reopened()
        try other.database.write { _ in
            try other.collection.save(document: MutableDocument(id: "b"))
            try collection.noteConflicts()
        }
        #expect(try stored() == nil)
        try collection.noteConflicts()
        #expect(try stored()?.through == 1_001)
    }

    @Test("a look for conflicts reads the documents that changed since the list was made, however many there are")
    func work() throws {
        try fill("a", 1_000)
        let first = try steps()
        try fill("b", 2_000)
        let second = try steps()
        #expect(first < 200 && second < 200, "\(first) and \(second) steps")
        // Few changes aren't worth a new list.
        try fill("c", 100)
        #expect(try steps() > 200)
        #expect(try test.database.integrityFindings() == [])
    }

    @Test("conflicts from before and after the list are found, in their order, until they are resolved")
    func order() throws {
        try conflict(["a", "b", "c"])
        try fill("d", 1_100)
        try collection.noteConflicts()
        try conflict(["e", "f"])
        #expect(try found() == ["a", "b", "c", "e", "f"])
        let first = try collection.conflictedDocuments(after: 0, limit: 2)
        #expect(first.map(\.id) == ["a", "b"])
        #expect(try found(after: first[1].sequence, limit: 2) == ["c", "e"])
        #expect(try found(after: first[1].sequence + 2_000) == [])
        let theirs = try #require(RevisionID("1-bb"))
        _ = try collection.resolveConflict(id: "b", revision: theirs, expecting: nil, resolution: .local)
        try collection.purge(id: "e")
        // A change leaves the conflict.
        let document = try #require(try collection.document(id: "a")).toMutable()
        try collection.save(document: document.setInt(2, forKey: "mine"))
        for _ in 0..<2 {
            #expect(try found() == ["c", "f", "a"])
            try fill("g", 1_100)
            try collection.noteConflicts()
        }
        #expect(try test.database.integrityFindings() == [])
    }

    @Test("more conflicts than the list has room for are found")
    func many() throws {
        let ids = (0..<(ConflictNote.countLimit + 3)).map { "a\($0)" }
        try conflict(ids)
        try collection.noteConflicts()
        #expect(try found(limit: 5_000) == ids)
        #expect(try test.database.integrityFindings() == [])
    }

    @Test("a list that isn't sound is ignored, and one that lacks a conflict is reported")
    func damaged() throws {
        try conflict(["a"])
        let sound = ConflictNote(through: 2, sequences: [])
        let others: [[UInt8]] = [
            [], [1], ConflictNote(through: 2, sequences: [2, 2]).stored,
            ConflictNote(through: 2, sequences: [2, 1]).stored,
            [UInt8](repeating: 0xFF, count: 8), [UInt8](repeating: 0, count: 8) + sound.stored,
            [UInt8](repeating: 0, count: 8 * 1_002),
        ]
        for value in others {
            try test.database.setLocalValue(store: "conflicts", name: "1", value: value)
            #expect(try found() == ["a"], "\(value.prefix(24))")
        }
        try test.database.setLocalValue(store: "conflicts", name: "1", value: sound.stored)
        let findings = try test.database.integrityFindings()
        #expect(findings.count == 1 && findings[0].contains("list of conflicts"), "\(findings)")
    }

    @Test("the list of a collection goes with the collection")
    func deleted() throws {
        let other = try test.database.createCollection(name: "other")
        try test.database.write { _ in
            for number in 0..<1_000 { try other.save(document: MutableDocument(id: "\(number)")) }
        }
        try other.noteConflicts()
        #expect(try test.database.localValue(store: "conflicts", name: "2") != nil)
        try test.database.deleteCollection(name: "other")
        #expect(try test.database.localValue(store: "conflicts", name: "2") == nil)
    }
}
