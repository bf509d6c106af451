import Foundation
import SealiteDatabase
import SealiteQuery
import SealiteTestSupport
import Testing

@Suite("full-text indexes of killed processes")
struct FullTextKillTests {
    private static let isSoak = ProcessInfo.processInfo.environment["SEALITE_SOAK"] != nil
    private static let rounds = isSoak ? 60 : 4

    @Test("a process that is killed among saves of texts leaves an index with the words of the documents")
    func saves() async throws {
        let file = try TestFile()
        var random = SeededRandom()
        for round in TestSeed.seeds(Self.rounds) {
            let pause = UInt32.random(in: 0...80_000, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = file.path as String, pause = pause as UInt32, seed = round as UInt64] in
                var texts = TextModel(try TestFile.open(path), seed: seed)
                try texts.makeIndexes()
                for _ in 0..<20 { try texts.step() }
                killSoon(pause)
                while true { try texts.step() }
            }
            try file.withDatabase { database in
                #expect(try database.defaultCollection().indexes() == ["few", "words"])
                try TextModel(database, seed: round).check()
            }
        }
    }

    @Test("a process that is killed while an index is built leaves a whole one or none")
    func building() async throws {
        let file = try TestFile()
        try file.withDatabase { database in
            var texts = TextModel(database, seed: 1)
            try texts.fill(2000)
        }
        var random = SeededRandom()
        for round in TestSeed.seeds(Self.rounds) {
            let pause = UInt32.random(in: 0...500_000, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = file.path as String, pause = pause as UInt32] in
                let texts = TextModel(try TestFile.open(path), seed: 1)
                killSoon(pause)
                while true {
                    try texts.makeIndexes()
                    try texts.deleteIndexes()
                }
            }
            try file.withDatabase { database in
                let texts = TextModel(database, seed: round)
                #expect(try database.integrityFindings() == [])
                try texts.makeIndexes()
                try texts.check()
                try texts.deleteIndexes()
            }
        }
    }
}

/// Kills this process after a pause in microseconds.
func killSoon(_ pause: UInt32) {
    Thread.detachNewThread {
        letTimePass(.microseconds(Int64(pause)), because: "the process is killed at a random moment")
        _ = Foundation.kill(getpid(), SIGKILL)
    }
}

/// Random changes of documents with texts of few words, under full-text indexes.
private struct TextModel {
    private struct Stop: Error {}

    /// Words of which no two have the same stem.
    private static let words = [
        "fox", "dog", "rivers", "cafés", "alternative", "universities", "東京", "x1", "Ωmega", "of",
    ]

    private let database: Database
    private var random: SeededRandom

    init(_ database: Database, seed: UInt64) {
        self.database = database
        random = SeededRandom(seed: seed)
    }

    private mutating func pick(_ bound: Int) -> Int { random.below(bound) }

    private mutating func text(_ wordCount: Int) -> String {
        (0..<wordCount).map { _ in Self.words[pick(Self.words.count)] }.joined(separator: " ")
    }

    func makeIndexes() throws {
        let collection = try database.defaultCollection()
        try collection.createIndex(
            withName: "words",
            config: FullTextIndexConfiguration(["title", "body"], ignoreAccents: true, language: "en"))
        try collection.createIndex(
            withName: "few", config: FullTextIndexConfiguration(["body"], where: "kind = 1"))
    }

    func deleteIndexes() throws {
        for name in ["words", "few"] { try database.defaultCollection().deleteIndex(forName: name) }
    }

    mutating func fill(_ count: Int) throws {
        try database.write { _ in
            for number in 0..<count { try save("d\(number)", 60) }
        }
    }

    private mutating func save(_ id: String, _ wordCount: Int) throws {
        let collection = try database.defaultCollection()
        let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        document.setString(text(pick(3)), forKey: "title")
        document.setString(text(pick(wordCount)), forKey: "body")
        document.setInt(pick(3), forKey: "kind")
        try collection.save(document: document)
    }

    mutating func step() throws {
        guard pick(6) == 0 else { return try change() }
        _ = try? database.write { _ in
            for _ in 0..<pick(20) { try change() }
            if pick(3) == 0 { throw Stop() }
        }
    }

    private mutating func change() throws {
        let collection = try database.defaultCollection()
        let id = "d\(pick(40))"
        switch pick(8) {
        case 0: if try collection.document(id: id) != nil { try collection.delete(id: id) }
        case 1: if try collection.document(id: id) != nil { try collection.purge(id: id) }
        case 2: _ = try database.createQuery("UPDATE _ SET kind = 1, title = 'fox' WHERE kind = 2" as String).execute()
        default: try save(id, 400)
        }
    }

    /// Compares the indexes with the documents, and what they find with the words that the texts have.
    func check() throws {
        #expect(try database.integrityFindings() == [])
        let rows = try database.createQuery("SELECT META().id, title, body, kind FROM _" as String).execute()
            .allResults()
        for word in Self.words where word != "of" {
            var (all, few): (Set<String>, Set<String>) = ([], [])
            for row in rows {
                guard let id = row.string(at: 0) else { continue }
                let body = (row.string(at: 2) ?? "").split(separator: " ").contains(Substring(word))
                if body || (row.string(at: 1) ?? "").split(separator: " ").contains(Substring(word)) { all.insert(id) }
                if body, row.int(at: 3) == 1 { few.insert(id) }
            }
            #expect(try found("words", word) == all)
            #expect(try found("few", word) == few)
        }
    }

    private func found(_ index: String, _ word: String) throws -> Set<String> {
        let text = "SELECT META().id FROM _ WHERE MATCH(\(index), '\(word)')"
        return Set(try database.createQuery(text as String).execute().allResults().compactMap { $0.string(at: 0) })
    }
}
