import Foundation
import GRDB
import SealiteDatabase
import SealiteFile
import SealiteQuery

/// Measures full-text search over 20,000 sealed texts of 200 words, compared with FTS5 with the same tokenizer on plain
/// SQLite, alternating and in new files.
struct FullTextBench {
    let folder: String
    let measure: Measurement

    private static let count = 20_000

    /// Texts whose words are as unevenly frequent as those of a language, with endings that stemmers take off.
    private static let texts: [String] = {
        var state: UInt64 = 7
        func random() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }
        let endings = ["", "s", "ing", "ed", "ly", "ness", "ation"]
        let syllables = ["ba", "con", "tri", "mel", "or", "pan", "su", "ter", "li", "no", "gra", "de"]
        let words = (0..<30_000).map { number in
            var (word, rest) = ("", number + 12)
            while rest > 0 {
                word += syllables[rest % 12]
                rest /= 12
            }
            return word + endings[number % 7]
        }
        return (0..<count).map { _ in
            (0..<200).map { _ in words[min(Int(exp(random() * log(30_000))), 29_999)] }.joined(separator: " ")
        }
    }()

    func run() throws {
        for _ in 0..<3 {
            for isStemmedOnly in [true, false] {
                let place = folder + "/text"
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
                try sealed(place, isStemmedOnly)
                try plain(place, isStemmedOnly)
                try FileManager.default.removeItem(atPath: place)
            }
        }
    }

    private func name(_ what: String, _ isStemmedOnly: Bool) -> String {
        "full text, \(what)\(isStemmedOnly ? "" : ", unstemmed prefixes")"
    }

    /// Words of which many texts have one, some, and few: they are those of the texts.
    private static let searches: [(name: String, text: String)] = {
        var counts: [String: Int] = [:]
        for text in texts.prefix(2_000) {
            for word in Set(text.split(separator: " ")) { counts[String(word), default: 0] += 1 }
        }
        let sorted = counts.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.map(\.key)
        return [
            ("a frequent word", sorted[2]), ("a word", sorted[60]), ("a rare word", sorted[4_000]),
            ("two words", "\(sorted[10]) \(sorted[30])"),
        ]
    }()

    private func sealed(_ place: String, _ isStemmedOnly: Bool) throws {
        let database = try Database.create(place + "/sealed.db", slot: .rawKey(SealedBench.key))
        let collection = try database.defaultCollection()
        try database.write { _ in
            for (index, text) in Self.texts.enumerated() {
                try collection.save(document: MutableDocument(id: "t\(index)").setString(text, forKey: "text"))
            }
        }
        try saveSingly(database, "no full-text index", 1_000, isStemmedOnly)
        var config = FullTextIndexConfiguration(["text"], language: "en")
        config.unstemmedPrefixes = !isStemmedOnly
        try measure.run("sealed " + name("building", isStemmedOnly), Self.count) {
            try collection.createIndex(withName: "words", config: config)
        }
        for (what, text) in Self.searches {
            let query = try database.createQuery(
                "SELECT META().id FROM _ WHERE MATCH(words, $text) ORDER BY RANK(words) DESC LIMIT 10")
            query.parameters = Parameters().setString(text, forName: "text")
            var found = 0
            try measure.run("sealed " + name("top 10 of \(what)", isStemmedOnly), 50) {
                for _ in 0..<50 { found += try query.execute().allResults().count }
            }
            guard found > 0 else { fatalError("nothing was found") }
        }
        try saveSingly(database, "full-text index", 2_000, isStemmedOnly)
        try database.close()
    }

    private func saveSingly(_ database: SealiteDatabase.Database, _ what: String, _ first: Int, _ isStemmedOnly: Bool)
        throws
    {
        let collection = try database.defaultCollection()
        let name = "saving one document, \(what)\(isStemmedOnly ? "" : ", unstemmed prefixes")"
        try measure.each(name, 500) { index in
            guard let document = try collection.document(id: "t\(index)")?.toMutable() else { return }
            try collection.save(document: document.setString(Self.texts[first + index], forKey: "text"))
        }
        try measure.each(name + ", the text stays", 500) { index in
            guard let document = try collection.document(id: "t\(index)")?.toMutable() else { return }
            try collection.save(document: document.setInt(first + index, forKey: "count"))
        }
    }

    private func plain(_ place: String, _ isStemmedOnly: Bool) throws {
        var configuration = GRDB.Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -16384") }
        let pool = try DatabasePool(path: place + "/plain.db", configuration: configuration)
        try pool.write { database in
            try database.execute(sql: "CREATE TABLE texts (number INTEGER PRIMARY KEY, id TEXT, text TEXT)")
            for (index, text) in Self.texts.enumerated() {
                try database.execute(
                    sql: "INSERT INTO texts VALUES (?, ?, ?)", arguments: [index + 1, "t\(index)", text])
            }
        }
        let prefixes = isStemmedOnly ? " prefixes off" : ""
        try measure.run("plain " + name("building", isStemmedOnly), Self.count) {
            try pool.write { database in
                try database.execute(
                    sql: """
                        CREATE VIRTUAL TABLE words USING fts5(text, content='texts', content_rowid='number',
                            tokenize='sealite language english stopwords english\(prefixes)');
                        INSERT INTO words (words) VALUES ('rebuild')
                        """)
            }
        }
        for (what, text) in Self.searches {
            var found = 0
            try measure.run("plain " + name("top 10 of \(what)", isStemmedOnly), 50) {
                for _ in 0..<50 {
                    found += try pool.read { database in
                        try String.fetchAll(
                            database,
                            sql: """
                                SELECT id FROM words JOIN texts ON number = words.rowid WHERE words MATCH ?
                                ORDER BY bm25(words) LIMIT 10
                                """, arguments: [text.split(separator: " ").map { "\"\($0)\"" }.joined(separator: " ")]
                        ).count
                    }
                }
            }
            guard found > 0 else { fatalError("nothing was found") }
        }
        try pool.close()
    }
}
