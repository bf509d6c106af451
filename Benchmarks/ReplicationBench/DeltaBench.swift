import BenchmarkData
import Foundation
import SealiteDatabase
import SealiteJSON
import SealiteRevisions

/// Pushes changed documents as deltas and whole, and prints what that took, and what the bases of deltas cost a save. Every
/// second round is with deltas.
struct DeltaBench {
    private let documents: Int
    private let rounds: Int
    private let folder: String

    init(documents: Int, rounds: Int) throws {
        (self.documents, self.rounds) = (documents, rounds)
        folder = NSTemporaryDirectory() + "sealite-delta-bench-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func run() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        say("deltas, loopback without TLS, both ends sealed, \(documents) documents: a number and a sentence changed")
        try measure("documents of 20 KB", chapters: 20, sentences: 17)
        try measure("documents of 300 bytes", chapters: 1, sentences: 5)
        try runSaves()
        try runFormat()
    }

    /// Compares making and applying a delta with parsing the JSON of the new body once, in turn, and prints the ratios.
    func runFormat() throws {
        for (chapters, sentences) in [(20, 17), (6, 17), (3, 14)] {
            var people = PersonGenerator(count: chapters * sentences, seed: 47)
            func text(_ count: Int) -> String {
                (0..<count).compactMap { _ in people.next()?.bio }.joined(separator: ". ")
            }
            let document = MutableDocument(id: "a").setInt(0, forKey: "round")
            for chapter in 0..<chapters { document.setString(text(sentences), forKey: "chapter \(chapter)") }
            let old = try JSONB.parse(Array(document.toJSON().utf8))
            let chapter = "chapter \(chapters / 2)"
            var changed = document.value(forKey: chapter)?.string?.components(separatedBy: ". ") ?? []
            changed[changed.count / 2] = "another sentence"
            document.setInt(1, forKey: "round").setString(changed.joined(separator: ". "), forKey: chapter)
            let json = Array(try document.toJSON().utf8)
            let new = try JSONB.parse(json)
            let delta = try JSONDelta.make(from: old.span, to: new.span, limit: new.count) ?? []
            guard try JSONDelta.apply(delta, to: old.span, limit: .max) == new else {
                throw BenchFailure(description: "the delta gives another body")
            }
            let repetitions = 2_000
            func seconds(_ work: () throws -> Void) rethrows -> Double {
                let before = Usage.now.processorSeconds
                for _ in 0..<repetitions { try work() }
                return Usage.now.processorSeconds - before
            }
            var (parsing, making, applying): ([Double], [Double], [Double]) = ([], [], [])
            for _ in 0...2 * rounds {
                parsing.append(try seconds { _ = try JSONB.parse(json) })
                making.append(try seconds { _ = try JSONDelta.make(from: old.span, to: new.span, limit: new.count) })
                applying.append(try seconds { _ = try JSONDelta.apply(delta, to: old.span, limit: .max) })
            }
            func ratio(_ times: [Double]) -> String {
                String(format: "%.2f", times.sorted()[rounds] / parsing.sorted()[rounds])
            }
            say(
                "a body of \(json.count) bytes of JSON: making the delta (\(delta.count) bytes) takes \(ratio(making)) and "
                    + "applying it \(ratio(applying)) of the time of parsing the JSON")
        }
    }

    /// Measures only what the bases of deltas cost a save.
    func runSaves() throws {
        for (name, chapters, sentences) in [("20 KB", 20, 17), ("6 KB", 6, 17), ("2.5 KB", 3, 14)] {
            try measureSaves("documents of \(name)", chapters: chapters, sentences: sentences)
        }
    }

    /// Edits documents that a listener has served and the same documents that none has, each in a transaction of its own,
    /// by turns, and prints what the bases of deltas cost the former.
    private func measureSaves(_ name: String, chapters: Int, sentences: Int) throws {
        let files = [true: "served.db", false: "unserved.db"].mapValues { folder + "/" + $0 }
        let count = documents / 5
        for file in files.values {
            try Self.fill(file, documents: count, chapters: chapters, sentences: sentences)
        }
        let databases = try files.mapValues { try Role.open($0) }
        var times: [Bool: [Double]] = [:]
        let pairs = 6 * rounds + 1
        for round in 1...pairs {
            for isServed in round % 2 == 0 ? [true, false] : [false, true] {
                guard let collection = try databases[isServed]?.defaultCollection() else { continue }
                if isServed { try Self.serveLast(collection) }
                let edited = try (0..<count).map {
                    try Self.edited(collection, $0, chapters: chapters, round: round)
                }
                let before = Usage.now.processorSeconds
                for document in edited { try collection.save(document: document) }
                times[isServed, default: []].append(Usage.now.processorSeconds - before)
            }
        }
        let kept = try databases[true]?.statistics().collections.first?.deltaBaseByteCount ?? 0
        for (isServed, database) in databases {
            try database.close()
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: (files[isServed] ?? "") + suffix)
            }
        }
        let (served, unserved) = (times[true] ?? [], times[false] ?? [])
        func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        // Of each pair, one after the other, since the machine's speed changes meanwhile.
        let ratio = middle(zip(served, unserved).map { $0 / $1 })
        say(
            "\(name): a save of a document that was served takes "
                + String(format: "%.2f", ratio)
                + " of the processor time of one that wasn't (\(Int(middle(unserved) / Double(count) * 1e6)) µs); "
                + "\(kept / UInt64(count)) bytes kept of each, with its history")
    }

    /// Serves the document that changed last, as a listener does: peers may have all documents then.
    private static func serveLast(_ collection: Collection) throws {
        let last = try collection.lastSequence
        guard let change = try collection.changes(since: last - 1, limit: 1).first else { return }
        let query = RevisionQuery(
            documentID: change.id, version: Version(change.revisionID), knownAncestors: [], maxHistory: 20,
            listsAttachments: false, omitsOldTreeIDs: false, allowsReplacement: true, takesDelta: false)
        _ = try ReplicatedCollection(collection: collection, remote: nil).revision(query)
    }

    private func child(_ arguments: [String], deltas: Bool = true) throws -> BenchChild {
        try BenchChild(arguments, folder: folder, deltas: deltas)
    }

    /// Medians of the rounds of each kind: a push with deltas and one without, one after the other.
    private func measure(_ name: String, chapters: Int, sentences: Int) throws {
        let file = "client-\(chapters).db"
        try child(["delta-fill", file, "\(documents)", "\(chapters)", "\(sentences)"]).finish()
        let server = try child(["serve", "server-\(chapters).db", "plain"])
        let place = try server.line().split(separator: " ").map(String.init)
        var runs: [Bool: [Figures]] = [:]
        // The first push is of new documents.
        for round in 0...2 * rounds {
            if round > 0 { try child(["delta-edit", file, "\(chapters)", "\(round)"]).finish() }
            let deltas = round % 2 == 0
            try server.ask()
            _ = try server.line()
            let wire = Self.loopbackBytes
            let client = try child(["push", file] + place, deltas: deltas)
            var figures = Figures(try client.line())
            try client.finish()
            figures["wire"] = Double(Self.loopbackBytes - wire)
            try server.ask()
            figures["processor"] += Figures(try server.line())["processor"]
            guard figures["deltas"] == Double(round > 0 && deltas && chapters > 1 ? documents : 0) else {
                throw BenchFailure(description: "\(figures["deltas"]) of \(documents) documents went as deltas")
            }
            if round > 0 { runs[deltas, default: []].append(figures) }
        }
        try server.finish()
        func median(_ figure: String, _ deltas: Bool) -> Double {
            let values = (runs[deltas] ?? []).map { $0[figure] }.sorted()
            return values[values.count / 2]
        }
        func text(_ figure: String) -> String { String(format: "%.2f", median(figure, true) / median(figure, false)) }
        func rate(_ deltas: Bool) -> Int { Int(Double(documents) / median("seconds", deltas)) }
        say(
            "\(name): \(Int(median("deltas", true))) as deltas, \(rate(true))/s, whole \(rate(false))/s; as deltas "
                + "they take \(text("processor")) of the processor time of both sides, \(text("wire")) of the bytes on the wire; "
                + "\(String(format: "%.3f", 1 - median("saved", true) / median("bytes", true))) of the bodies' bytes")
    }

    /// The bytes that the loopback interface has carried, headers and whatever else uses it included.
    private static var loopbackBytes: Int {
        let lines = (try? String(contentsOfFile: "/proc/net/dev", encoding: .utf8))?.split(separator: "\n") ?? []
        let words = lines.first { $0.contains("lo:") }?.split(whereSeparator: { $0 == " " || $0 == ":" }) ?? []
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    /// Makes a database of documents with a number and chapters of sentences that no other document has.
    static func fill(_ path: String, documents: Int, chapters: Int, sentences: Int) throws {
        let database = try Role.open(path)
        let collection = try database.defaultCollection()
        try database.write { _ in
            for number in 0..<documents {
                var people = PersonGenerator(count: chapters * sentences, seed: UInt64(number))
                let document = MutableDocument(id: "document-\(number)").setInt(0, forKey: "round")
                for chapter in 0..<chapters {
                    let text = (0..<sentences).compactMap { _ in people.next()?.bio }.joined(separator: ". ")
                    document.setString(text, forKey: "chapter \(chapter)")
                }
                try collection.save(document: document)
            }
        }
        try database.close()
    }

    /// Changes each document as `edited` does, in one transaction.
    static func edit(_ path: String, chapters: Int, round: Int) throws {
        let database = try Role.open(path)
        let collection = try database.defaultCollection()
        try database.write { _ in
            for number in 0..<Int(try collection.count) {
                try collection.save(document: try edited(collection, number, chapters: chapters, round: round))
            }
        }
        try database.close()
    }

    /// Returns a document with another number and another sentence in the middle of one chapter.
    private static func edited(
        _ collection: Collection, _ number: Int, chapters: Int, round: Int
    ) throws -> MutableDocument {
        guard let document = try collection.document(id: "document-\(number)")?.toMutable() else {
            throw BenchFailure(description: "document-\(number) is missing")
        }
        let key = "chapter \((number + round) % chapters)"
        var sentences = document.value(forKey: key)?.string?.components(separatedBy: ". ") ?? []
        var people = PersonGenerator(count: 1, seed: UInt64(round * 1_000_000 + number))
        sentences[sentences.count / 2] = people.next()?.bio ?? ""
        return document.setInt(round, forKey: "round").setString(sentences.joined(separator: ". "), forKey: key)
    }
}
