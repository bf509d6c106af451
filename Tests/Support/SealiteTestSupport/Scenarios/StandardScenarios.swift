extension Scenario {
    /// Every way to commit, and every statement that moves pages about.
    package static let standard: [Scenario] =
        [
            create(journal: "DELETE"), create(journal: "WAL"),
            commit("DELETE", "FULL"), commit("DELETE", "EXTRA"), commit("TRUNCATE", "FULL"), commit("PERSIST", "FULL"),
            commit("WAL", "FULL"), commit("WAL", "NORMAL"),
            checkpoint("FULL"), checkpoint("NORMAL"),
            vacuum("DELETE"), vacuum("WAL"),
            attach("DELETE"), attach("TRUNCATE"), attach("PERSIST"),
            autoVacuum("FULL", "DELETE"), autoVacuum("INCREMENTAL", "WAL"),
            savepoint("DELETE"), savepoint("WAL"), savepoint("WAL", "NORMAL"),
            freedPages, changeOfJournal, largePages,
        ]

    /// A database that comes into being.
    static func create(journal: String) -> Scenario {
        var scenario = Scenario("create, \(journal)")
        scenario.journal = journal
        scenario.steps = [
            "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)",
            "CREATE INDEX note_body ON note (body)",
            fill("note", 1...10),
        ]
        return scenario
    }

    /// Transactions that insert, update and delete.
    package static func commit(_ journal: String, _ synchronous: String) -> Scenario {
        var scenario = Scenario("commit, \(journal), synchronous \(synchronous)")
        scenario.journal = journal
        scenario.synchronous = synchronous
        scenario.setup = [notes, fill("note", 1...30)]
        scenario.steps = [
            fill("note", 31...40),
            "UPDATE note SET body = body || 'again' WHERE id % 4 = 0",
            "BEGIN; DELETE FROM note WHERE id < 12; \(fill("note", 51...60)); COMMIT",
            "INSERT INTO note VALUES (99, 'last')",
        ]
        return scenario
    }

    /// A log that is copied back, begun anew and cut.
    static func checkpoint(_ synchronous: String) -> Scenario {
        var scenario = commit("WAL", synchronous).renamed("WAL checkpoint, synchronous \(synchronous)")
        scenario.steps = [
            fill("note", 31...40), "PRAGMA wal_checkpoint(PASSIVE)",
            "UPDATE note SET body = 'short' WHERE id > 20", "PRAGMA wal_checkpoint(RESTART)",
            fill("note", 41...44), "PRAGMA wal_checkpoint(TRUNCATE)",
            "DELETE FROM note WHERE id < 15",
        ]
        return scenario
    }

    static func vacuum(_ journal: String) -> Scenario {
        var scenario = commit(journal, "FULL").renamed("VACUUM, \(journal)")
        scenario.setup.append("DELETE FROM note WHERE id % 3 = 0")
        scenario.steps = ["VACUUM", "DELETE FROM note WHERE id > 8", "VACUUM"]
        return scenario
    }

    /// Transactions over two files, which are committed in both or in none.
    package static func attach(_ journal: String) -> Scenario {
        var scenario = Scenario("ATTACH, \(journal)")
        scenario.journal = journal
        scenario.attaches = true
        let both = { (rows: ClosedRange<Int>) in "\(fill("note", rows)); \(fill("other.copy", rows))" }
        scenario.setup = [notes, "CREATE TABLE other.copy (id INTEGER PRIMARY KEY, body TEXT)", both(1...8)]
        scenario.steps = [
            "BEGIN; \(both(9...14)); COMMIT",
            "BEGIN; UPDATE note SET body = 'x'; DELETE FROM other.copy WHERE id % 2 = 0; COMMIT",
            "BEGIN; \(both(20...22)); COMMIT",
        ]
        return scenario
    }

    static func autoVacuum(_ mode: String, _ journal: String) -> Scenario {
        var scenario = commit(journal, "FULL").renamed("auto_vacuum \(mode), \(journal)")
        scenario.autoVacuum = mode
        scenario.steps = ["DELETE FROM note WHERE id < 20", fill("note", 1...5), "DROP TABLE note"]
        // With FULL there is nothing left for it to do: a step without a commit.
        if mode == "INCREMENTAL" { scenario.steps.insert("PRAGMA incremental_vacuum(5)", at: 1) }
        return scenario
    }

    /// A transaction larger than the cache, half of it taken back.
    static func savepoint(_ journal: String, _ synchronous: String = "FULL") -> Scenario {
        var scenario = commit(journal, synchronous).renamed(
            "savepoint and spilled cache, \(journal), synchronous \(synchronous)")
        scenario.cacheSize = 5
        scenario.setup = [notes, fill("note", 1...12)]
        scenario.steps = [
            """
            BEGIN; \(fill("note", 13...20)); SAVEPOINT inner; \(fill("note", 21...26)); UPDATE note SET body = 'gone';
            ROLLBACK TO inner; UPDATE note SET body = body || 'kept' WHERE id % 4 = 0; COMMIT
            """,
            "BEGIN; DELETE FROM note WHERE id > 5; \(fill("note", 21...26)); ROLLBACK; DELETE FROM note WHERE id = 7",
        ]
        return scenario
    }

    /// Pages that are freed without being overwritten, and used again.
    static var freedPages: Scenario {
        var scenario = commit("DELETE", "FULL").renamed("freed pages, secure_delete off")
        scenario.steps = [
            "PRAGMA secure_delete = OFF; DELETE FROM note WHERE id > 5",
            "INSERT INTO note VALUES (100, zeroblob(9000))", fill("note", 200...220),
        ]
        return scenario
    }

    /// Pages that a transaction adds, frees and takes again while its cache spills: with secure_delete off SQLite skips some of
    /// them when it writes, and reads them before the commit.
    package static func skippedPages(_ journal: String) -> Scenario {
        var scenario = commit(journal, "FULL").renamed("skipped pages, \(journal)")
        scenario.cacheSize = 80
        scenario.setup = [blobs, addBlobs(1...20)]
        scenario.steps = [
            "BEGIN; \(addBlobs(21...70)); \(skipping(71...120, keeping: 60)); COMMIT",
            "BEGIN; \(skipping(200...240, keeping: 210)); ROLLBACK; INSERT INTO blob VALUES (199, 'once', x'00')",
            """
            BEGIN; SAVEPOINT outer; \(skipping(300...330, keeping: 310)); ROLLBACK TO outer;
            \(skipping(300...330, keeping: 320)); COMMIT
            """,
        ]
        return scenario
    }

    /// Frees pages of rows above `kept`, then takes some of them again, several times.
    private static func skipping(_ rows: ClosedRange<Int>, keeping kept: Int) -> String {
        """
        \(addBlobs(rows)); DELETE FROM blob WHERE id > \(kept) AND id % 7 <> 0; \(addBlobs(500...540));
        DELETE FROM blob WHERE id >= 500 AND id % 5 <> 0; \(addBlobs(600...640)); UPDATE blob SET name = name || 'x';
        DELETE FROM blob WHERE id >= 500
        """
    }

    private static let blobs = "CREATE TABLE blob (id INTEGER PRIMARY KEY, name TEXT UNIQUE, bytes BLOB)"

    /// A statement for each row: one alone opens no statement journal, behind which SQLite would skip nothing.
    private static func addBlobs(_ rows: ClosedRange<Int>) -> String {
        rows.map {
            "INSERT INTO blob VALUES (\($0), '\($0 * 7919 % 1009) of \($0)', zeroblob(\(1000 + $0 * 37 % 4000)))"
        }
        .joined(separator: "; ")
    }

    static var changeOfJournal: Scenario {
        var scenario = commit("DELETE", "EXTRA").renamed("change of journal mode")
        scenario.steps = [
            fill("note", 31...33), "PRAGMA journal_mode = WAL", fill("note", 34...36), "PRAGMA journal_mode = TRUNCATE",
            fill("note", 37...39), "PRAGMA journal_mode = PERSIST", fill("note", 40...42),
        ]
        return scenario
    }

    static var largePages: Scenario {
        var scenario = commit("WAL", "FULL").renamed("pages of 64 KiB")
        scenario.pageSize = 65536
        return scenario
    }

    private func renamed(_ name: String) -> Scenario {
        var scenario = Scenario(name)
        scenario.journal = journal
        scenario.synchronous = synchronous
        scenario.setup = setup
        scenario.steps = steps
        return scenario
    }

    private static let notes = """
        CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT); CREATE INDEX note_body ON note (body)
        """

    /// A statement that inserts rows of 150 to 400 bytes under the ids `rows`.
    private static func fill(_ table: String, _ rows: ClosedRange<Int>) -> String {
        """
        INSERT INTO \(table) WITH RECURSIVE n (i) AS (SELECT \(rows.lowerBound) UNION ALL
        SELECT i + 1 FROM n WHERE i < \(rows.upperBound)) SELECT i, printf('%0*d', 150 + i * 37 % 250, i * 7919) FROM n
        """
    }
}
