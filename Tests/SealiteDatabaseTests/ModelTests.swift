import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteDatabase

/// The expected content of the database, in dictionaries.
private struct Model: Equatable {
    struct Entry: Equatable {
        var sequence: UInt64
        var revision: String
        /// Nil for a tombstone.
        var value: Value?
        var expires: Date?
        var blob: [UInt8]?
    }

    var entries: [String: Entry] = [:]
    var lastSequence: UInt64 = 0

    mutating func put(_ id: String, _ saved: Document, _ value: Value?, blob: [UInt8]?) {
        lastSequence += 1
        entries[id] = Entry(
            sequence: lastSequence, revision: saved.revisionID, value: value, expires: entries[id]?.expires, blob: blob)
    }
}

@Suite("random operations against a model")
struct ModelTests {
    /// One run: a database, what it should hold, and the randomness that drives both.
    private struct Run {
        var test: TestDatabase
        var collection: SealiteDatabase.Collection
        var model = Model()
        var generator: SeededRandom

        init(_ generator: SeededRandom) throws {
            test = try TestDatabase()
            collection = try test.collection
            self.generator = generator
        }

        var context: Comment { "SEALITE_SEED=\(TestSeed.run)" }

        mutating func id() -> String { "doc-\(generator.below(60))" }

        mutating func step() throws {
            switch generator.below(100) {
            case 0..<45: try save()
            case 45..<60: try delete()
            case 60..<68: try purge()
            case 68..<72: try expire()
            case 72..<82: try batch(aborting: false)
            case 82..<88: try batch(aborting: true)
            case 88..<96: try read()
            case 96: try test.database.performMaintenance(type: .compact)
            case 97: try index()
            default: try reopen()
            }
        }

        /// Makes or deletes an index; the check compares all with the documents.
        mutating func index() throws {
            let name = "index-\(generator.below(4))"
            guard generator.below(3) > 0 else { return try collection.deleteIndex(name) }
            let definitions = [
                KeyDefinition(keys: [.path([.member("v")], .queries)]),
                KeyDefinition(keys: [.path([.member("t")], .mongo), .path([.member("b"), .member("length")], .mongo)]),
                KeyDefinition(
                    keys: [.sql("body_key('queries', body, 'v')")], condition: "body_value(body, 'v') % 2 = 0"),
                KeyDefinition(levels: [[.member("l")]]),
                KeyDefinition(
                    levels: [[.member("l")], [.member("m")]],
                    keys: [.sql("query_key(query_abs(value))"), .path([.item(0)], .queries)]),
            ]
            try collection.createIndex(name, definitions[generator.below(definitions.count)])
        }

        mutating func save() throws {
            let id = id()
            let value = Value(generator.below(1000))
            let text = generator.text()
            var blob: [UInt8]?
            if generator.below(10) == 0 {
                blob = [UInt8](repeating: UInt8(generator.below(256)), count: generator.below(100_000))
            }
            let document = generator.below(2) == 0 ? try collection.document(id: id)?.toMutable() : nil
            let edited = (document ?? MutableDocument(id: id)).setValue(value, forKey: "v").setString(text, forKey: "t")
            if let elements = elements() {
                edited.setValue(elements, forKey: "l")
            } else {
                edited.removeValue(forKey: "l")
            }
            edited.setBlob(blob.map { Blob(contentType: nil, bytes: $0) }, forKey: "b")
            let isNew = model.entries[id]?.value == nil
            let control: ConcurrencyControl = generator.below(3) == 0 ? .failOnConflict : .lastWriteWins
            let outcome = try collection.save(document: edited, concurrencyControl: control)
            let shouldSave = control == .lastWriteWins || document != nil || isNew
            #expect(outcome.isSaved == shouldSave, context)
            if case .saved(let saved) = outcome { model.put(id, saved, value, blob: blob) }
        }

        /// An array that mostly has what it had, with other arrays in it, or a value that is none.
        mutating func elements() -> Value? {
            switch generator.below(8) {
            case 0: return nil
            case 1: return Value(generator.below(3))
            default:
                return .array(
                    ArrayObject(
                        (0..<generator.below(4)).map { index in
                            let inner = Value.array([Value(generator.below(3)), Value(index), .null])
                            return generator.below(2) == 0 ? Value(index) : .dictionary(["m": inner])
                        }))
            }
        }

        mutating func delete() throws {
            let id = id()
            guard let entry = model.entries[id] else {
                #expect(code { try collection.delete(id: id) } == .notFound, context)
                return
            }
            try collection.delete(id: id)
            guard entry.value != nil else { return }
            let record = try #require(try collection.changes(since: model.lastSequence).first, context)
            model.lastSequence += 1
            model.entries[id] = .init(
                sequence: model.lastSequence, revision: record.revisionID, value: nil, expires: entry.expires, blob: nil
            )
        }

        mutating func purge() throws {
            let id = id()
            let result = code { try collection.purge(id: id) }
            #expect(result == (model.entries[id] == nil ? .notFound : nil), context)
            model.entries[id] = nil
        }

        mutating func expire() throws {
            let id = id()
            let isDue = generator.below(2) == 0
            let time = isDue ? Date(timeIntervalSince1970: 1000) : Date(timeIntervalSince1970: 4_000_000_000)
            let result = code { try collection.setDocumentExpiration(id: id, expiration: time) }
            #expect(result == (model.entries[id] == nil ? .notFound : nil), context)
            model.entries[id]?.expires = time
            // Purging here rather than waiting for the timer, which may have been first.
            try test.database.purgeExpiredDocuments()
            if isDue { model.entries[id] = nil }
        }

        mutating func batch(aborting: Bool) throws {
            let before = model
            do {
                try test.database.write { _ in
                    for _ in 0..<generator.below(8) {
                        switch generator.below(4) {
                        case 0: try delete()
                        case 1: try purge()
                        default: try save()
                        }
                    }
                    if generator.below(3) == 0 {
                        let inner = model
                        _ = try? test.database.write { _ in
                            try save()
                            throw TransactionTests.Stop()
                        }
                        model = inner
                    }
                    if aborting { throw TransactionTests.Stop() }
                }
            } catch is TransactionTests.Stop {
                model = before
            }
        }

        mutating func read() throws {
            let id = id()
            let document = try collection.document(id: id)
            let entry = model.entries[id]
            #expect(document?.value(forKey: "v") == entry?.value, context)
            guard let document, let entry else { return }
            #expect(document.sequence == entry.sequence, context)
            #expect(document.revisionID == entry.revision, context)
            #expect(try document.blob(forKey: "b")?.content == entry.blob.map { Data($0) }, context)
        }

        /// Opens the file again: after closing, or, as a killed process would leave it, without.
        mutating func reopen() throws {
            if generator.below(2) == 0 { try test.database.close() }
            test = try test.reopened()
            collection = try test.collection
        }

        /// Compares everything.
        func check() throws {
            let expected = model.entries.sorted { $0.value.sequence < $1.value.sequence }
            let records = try collection.changes(since: 0, limit: 10_000)
            #expect(records.map(\.id) == expected.map(\.key), context)
            #expect(records.map(\.sequence) == expected.map(\.value.sequence), context)
            #expect(records.map(\.revisionID) == expected.map(\.value.revision), context)
            #expect(records.map(\.isDeleted) == expected.map { $0.value.value == nil }, context)
            let living = expected.filter { $0.value.value != nil }
            #expect(try collection.count == UInt64(living.count), context)
            for (id, entry) in expected {
                #expect(try collection.getDocumentExpiration(id: id) == entry.expires, context)
                let document = try collection.document(id: id)
                #expect(document?.value(forKey: "v") == entry.value, context)
                if let blob = entry.blob { #expect(try document?.blob(forKey: "b")?.content == Data(blob), context) }
            }
            #expect(try test.database.integrityFindings() == [], context)
            let blobs = Set(living.compactMap(\.value.blob))
            try test.database.performMaintenance(type: .compact)
            #expect(try test.database.statistics().blobCount == UInt64(blobs.count), context)
        }
    }

    @Test("ten thousand random steps, a million in the soak, leave what the model says (SEALITE_STEPS for others)")
    func randomSteps() throws {
        let steps = TestEnvironment.steps ?? (TestEnvironment.isSoak ? 1_000_000 : 10_000)
        var run = try Run(SeededRandom())
        for index in 1...steps {
            try run.step()
            if index % 1000 == 0 || index == steps { try run.check() }
        }
    }
}
