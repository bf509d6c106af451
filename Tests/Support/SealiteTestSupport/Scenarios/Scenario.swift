/// A story in SQL that is told over and over, with the power failing or an operation failing at every point of it.
package struct Scenario: Sendable, CustomStringConvertible {
    /// The guarantee of plain SQLite after a power failure.
    package enum Guarantee: Sendable {
        /// The last acknowledged commit, or the one under way.
        case lastCommit
        /// The last acknowledged commit, unless the disk lost the deletion of its journal, which no sync of the folder
        /// followed: then the commit before it.
        case lastCommitUnlessJournalReturns
        /// Some whole commit, of those acknowledged or under way.
        case anyCommit
    }

    package let name: String
    package var journal = "DELETE"
    package var synchronous = "FULL"
    package var pageSize = 1024
    package var autoVacuum = "NONE"
    package var cacheSize = 200
    /// A Boolean value that says whether a second database, `other`, is attached.
    package var attaches = false
    /// Scripts that make the database before the story begins.
    package var setup: [String] = []
    /// Scripts of one commit each; when one has returned, its commit is acknowledged.
    package var steps: [String] = []

    package init(_ name: String) {
        self.name = name
    }

    package var description: String { name }

    package var guarantee: Guarantee {
        switch (journal, synchronous) {
        case ("WAL", "NORMAL"): .anyCommit
        case ("DELETE", "FULL"): .lastCommitUnlessJournalReturns
        default: .lastCommit
        }
    }

    /// The databases of the story.
    func paths(on stage: Stage) -> [String] {
        (attaches ? ["main.db", "other.db"] : ["main.db"]).map { "\(stage.folder)/\($0)" }
    }

    /// Opens the databases with the scenario's settings.
    func open(on stage: Stage) throws -> Connection {
        let paths = paths(on: stage)
        let connection = try stage.open(paths)
        if attaches { try connection.execute("ATTACH '\(stage.attachment(paths[1]))' AS other") }
        for schema in attaches ? ["main", "other"] : ["main"] {
            try connection.execute(
                """
                PRAGMA \(schema).page_size = \(pageSize);
                PRAGMA \(schema).auto_vacuum = \(autoVacuum);
                PRAGMA \(schema).cache_size = \(cacheSize);
                PRAGMA \(schema).synchronous = \(synchronous);
                PRAGMA \(schema).journal_mode = \(journal);
                """)
        }
        return connection
    }
}

/// A scenario told once without trouble: where it began, what it did to the disk, and what it meant to say.
struct Rehearsal {
    let base: DiskImage
    let events: [DiskEvent]
    /// The number of events that had happened when each step returned.
    private(set) var acknowledgements: [Int] = []
    /// The digest of the content at the beginning and after each step.
    private(set) var digests: [UInt64] = []

    init(_ scenario: Scenario, on stage: Stage) throws {
        stage.disk.load(DiskImage())
        for path in scenario.paths(on: stage) { try stage.prepare(path, scenario) }
        if !scenario.setup.isEmpty {
            let connection = try scenario.open(on: stage)
            for script in scenario.setup { try connection.execute(script) }
        }
        base = stage.disk.image
        stage.disk.load(base)

        let connection = try scenario.open(on: stage)
        digests.append(try connection.digest())
        for script in scenario.steps {
            try connection.execute(script)
            acknowledgements.append(stage.disk.eventCount)
            digests.append(try connection.digest())
        }
        connection.close()
        events = stage.disk.events
    }

    /// Returns the number of steps that had returned after `point` events.
    func acknowledged(at point: Int) -> Int {
        acknowledgements.count { $0 <= point }
    }
}
