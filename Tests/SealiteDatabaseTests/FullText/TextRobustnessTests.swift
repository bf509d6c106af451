import Foundation
import GRDB
import SealiteFile
import SealiteFunctions
import SealiteGRDB
import SealiteMaintenance
import Testing

@testable import SealiteDatabase
@testable import SealiteTestSupport

@Suite("full-text indexes under stress")
struct TextRobustnessTests {
    let stage: TextStage

    init() throws {
        stage = try TextStage()
        try stage.makeIndexes()
    }

    /// The words of the table of an index with their places.
    private func words(_ index: Int64) throws -> [String] {
        let queue = try stage.test.file.makeQueue()
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction { connection in
            try connection.execute(
                sql: "CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, text_\(index), instance)")
            return try Row.fetchAll(connection, sql: "SELECT * FROM temp.words ORDER BY doc, col, offset, term").map {
                "\($0)"
            }
        }
    }

    @Test("after random changes, here and by others, the index has what a fresh one has")
    func randomChanges() throws {
        var random = SeededRandom()
        let vocabulary = ["running", "dogs", "the", "café", "o'clock", "東京", "universities", "", "\u{301}", "x1"]
        for _ in 0..<(Effort.current == .soak ? 3_000 : 300) {
            let id = "d\(random.below(20))"
            let text = (0..<random.below(12)).map { _ in vocabulary[random.below(10)] }.joined(
                separator: " ")
            switch random.below(8) {
            case 0: try? stage.collection.delete(id: id)
            case 1: try? stage.collection.purge(id: id)
            case 2:
                try stage.foreign(
                    "UPDATE documents_1 SET body = (SELECT max(body) FROM documents_1) WHERE id = '\(id)' AND number > 0"
                )
            case 3: try stage.foreign("DELETE FROM documents_1 WHERE id = '\(id)'")
            default: try stage.save(id, text, age: random.below(2) == 0 ? 1 : nil)
            }
        }
        #expect(try stage.findings() == [])
        let kept = [try words(1), try words(2)]
        for (name, definition) in TextStage.definitions {
            try stage.collection.createIndex("fresh \(name)", definition)
        }
        #expect(try kept == [words(3), words(4)], "SEALITE_SEED \(TestSeed.run)")
    }

    @Test("a failed write leaves the index as it was, and a transaction that is given up too")
    func rollback() throws {
        struct Stop: Error {}
        try stage.save("a", "kept words")
        #expect(throws: Stop.self) {
            try stage.test.database.write { _ in
                try stage.save("a", "other")
                try stage.save("b", "more")
                throw Stop()
            }
        }
        #expect(try stage.find("kept") == ["a"] && stage.find("other OR more") == [] && stage.findings() == [])
    }

    @Test("words of documents stand nowhere in clear, in no file of the database")
    func sealed() throws {
        let marker = "zyxmarkerword"
        for index in 0..<200 {
            try stage.save("m\(index)", "\(marker) \(marker)\(index)ing", title: "\(marker)title", age: 1)
        }
        let folder = stage.test.folder.path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.count >= 2)
        for file in files {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"))
            #expect(bytes.range(of: Data("xmarkerwo".utf8)) == nil, "\(file)")
        }
    }

    /// A text of different words, up to a million of them.
    private func text(_ wordCount: Int) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(wordCount * 8)
        for number in 0..<wordCount {
            text += Array("w\(number % 1_000_000)".utf8)
            text.append(0x20)
        }
        return text
    }

    @Test("a long text and many different words are taken whole")
    func large() throws {
        try stage.save("long", String(decoding: text(1_000_000), as: UTF8.self))
        #expect(try stage.find("w999999") == ["long"] && stage.find("\"w5 w6\"") == ["long"])
        try mergesIntoOneSegment()
        try stage.save("long", "short")
        #expect(try stage.find("w999999") == [] && stage.findings() == [])
    }

    /// Builds another index over all words, which FTS5's hash table can't hold at once, in the soak alone: it takes seconds.
    private func mergesIntoOneSegment() throws {
        guard Effort.current == .soak, let definition = TextStage.definitions.first?.1 else { return }
        try stage.collection.createIndex("merged", definition)
        let queue = try stage.test.file.makeQueue()
        defer { try? queue.close() }
        let segments = try queue.read {
            try Int.fetchOne($0, sql: "SELECT count(DISTINCT segid) FROM text_\(TextStage.definitions.count + 1)_idx")
        }
        #expect(segments == 1)
    }

    @Test("a text that is longer than that of a document may be, in a row that another program writes, is taken whole")
    func huge() throws {
        try stage.save("long", "short")
        let text = text(Effort.current == .soak ? 13_000_000 : 100_000)
        // {"body": text} in JSONB, with sizes of four bytes.
        func sized(_ type: UInt8, _ count: Int) -> [UInt8] {
            [0xE0 | type] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
        }
        let member = [0x47] + Array("body".utf8) + sized(7, text.count)
        let body = Data(sized(12, member.count + text.count) + member + text)
        let queue = try stage.test.file.makeQueue()
        try queue.write { try $0.execute(sql: "UPDATE documents_1 SET body = ? WHERE id = 'long'", arguments: [body]) }
        try queue.close()
        #expect(try stage.find("w99999") == ["long"] && stage.find("\"w5 w6\"") == ["long"])
        #expect(try stage.find("short") == [] && stage.findings() == [])
        try stage.foreign("DELETE FROM documents_1")
        #expect(try stage.find("w99999") == [] && stage.findings() == [])
    }

    @Test("a stored text that is no UTF-8 is indexed up to the bad bytes and behind them")
    func invalidUTF8() throws {
        try stage.save("a", "proper")
        // {"body": "abc", 0xFF, "def"} in JSONB.
        try stage.foreign("UPDATE documents_1 SET body = x'CC0D47626F647977616263FF646566' WHERE id = 'a'")
        #expect(try stage.find("abc") == ["a"] && stage.find("def") == ["a"])
        try stage.foreign("INSERT INTO text_1 (text_1, rank) VALUES ('integrity-check', 1)")
    }

    @Test(
        "a salvaged database has its full-text indexes, built anew",
        arguments: [[], ["text_1_data"], ["text_1_config", "text_2_docsize"], ["indexes"]])
    func salvage(lost: [String]) throws {
        for index in 0..<50 { try stage.save("d\(index)", "words of document \(index)", age: 1) }
        try stage.test.database.performMaintenance(type: .compact)
        let path = stage.test.folder.path + "/test.db"
        let queue = try stage.test.file.makeQueue()
        let roots = try queue.read { connection in
            try lost.map { name in
                try UInt32(
                    Int64.fetchOne(
                        connection, sql: "SELECT rootpage FROM sqlite_schema WHERE name = ?", arguments: [name]) ?? 0)
            }
        }
        try queue.close()
        try stage.test.database.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for root in roots {
            let start = Int(root - 1) * 4096
            for place in start + 100..<start + 200 where place < bytes.count { bytes[place] ^= 0xFF }
        }
        let damaged = stage.test.folder.path + "/damaged.db"
        try bytes.write(to: URL(fileURLWithPath: damaged))
        let target = stage.test.folder.path + "/new.db"
        let source = try SealedDatabase.open(damaged, key: .rawKey(testKey(7)))
        _ = try SealiteDatabase.Database.salvage(source, to: target)
        let database = try SealiteDatabase.Database(file: try SealedDatabase.open(target, key: .rawKey(testKey(7))))
        #expect(try database.integrityFindings() == [])
        let collection = try database.defaultCollection()
        #expect(try collection.count == 50)
        if !lost.contains("indexes") { #expect(try collection.indexRecords().map(\.name) == ["words", "some"]) }
        try collection.save(document: MutableDocument(id: "new").setString("fresh", forKey: "body"))
        try database.close()
    }
}
