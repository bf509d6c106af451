import SealiteCrypto
@testable import SealiteTestSupport
import SealiteFileTestSupport
import SealiteMaintenance
import Testing

@testable import SealiteFile

/// A rotation in many small batches on a disk in memory, with a writer that commits between them, and what a crash at any
/// of its operations may leave.
struct RotationRace {
    let disk = MemoryDisk()
    private let vfs: TestVFS
    let choice: VFSChoice
    let path = "/disk/main.db"
    let before: DiskImage
    private(set) var events: [DiskEvent] = []
    /// The rows after each commit, the state before the first one in front.
    private var states: [[String]] = []
    /// The number of operations at the time each commit returned.
    private var acknowledgements: [Int] = []
    private(set) var batchCount = 0
    private let mode: String

    init(_ name: String, mode: String, rows: Int) throws {
        self.mode = mode
        vfs = try TestVFS(name: "\(name), below", disk: disk)
        choice = VFSChoice(name: "\(name), sealed", base: vfs.name)
        let database = try SealedDatabase.create(
            path, slot: .rawKey(rawKey()), options: CreationOptions(pageSize: 1024), vfs: choice)
        do {
            let connection = try database.connect()
            #expect(try connection.text("PRAGMA journal_mode=\(mode)") == mode.lowercased())
            try connection.execute(
                """
                CREATE TABLE t(a INTEGER PRIMARY KEY, b);
                WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(rows))
                INSERT INTO t SELECT x, hex(zeroblob(300 + x % 200)) FROM n
                """)
            if mode == "WAL" { try connection.query("PRAGMA wal_checkpoint(TRUNCATE)") }
            states = [try Self.rows(connection)]
            before = disk.image
        }
    }

    private static func rows(_ connection: RawConnection) throws -> [String] {
        var rows: [String] = []
        try connection.query("SELECT a, length(b), substr(b, 1, 20) FROM t ORDER BY a") {
            (row) throws(SealedFileError) in
            rows.append("\(row.integer(0)) \(row.integer(1)) \(row.text(2) ?? "")")
        }
        return rows
    }

    private func open() throws -> SealedDatabase { try SealedDatabase.open(path, key: .rawKey(rawKey()), vfs: choice) }

    private static func rotate(
        _ database: SealedDatabase, progress: (RotationProgress) -> KeyRotation.Control = { _ in .proceed }
    ) throws -> RotationReport {
        let rotation = try KeyRotation(of: database)
        rotation.pace = RotationPace(firstBatchByteCount: 16 << 10, largestBatchByteCount: 16 << 10, leastPause: 0)
        return try rotation.isResuming
            ? rotation.finish(busyTimeout: .seconds(1), progress: progress)
            : rotation.run(busyTimeout: .seconds(1), progress: progress)
    }

    /// Plays it once. A commit comes after every batch: the batch's closed mark isn't synced then, so that a crash can leave
    /// an open batch and a hot journal, or frames, at the same time.
    mutating func play() throws {
        disk.load(before)
        var (number, states, acknowledgements, batches) = (0, states, acknowledgements, 0)
        let writer = try open().connect()
        try writer.execute("PRAGMA synchronous=FULL; PRAGMA cache_size=5")
        let report = try Self.rotate(try open()) { progress in
            guard progress.stage == .resealing else { return .proceed }
            batches += 1
            number += 7
            do {
                try writer.execute(
                    "UPDATE t SET b = 'changed ' || \(number) || hex(zeroblob(100)) WHERE a % 40 = \(number % 40)")
                acknowledgements.append(disk.eventCount)
                states.append(try Self.rows(writer))
            } catch {
                Issue.record(error)
            }
            return .proceed
        }
        #expect(report.pagesResealed > 0)
        events = disk.events
        (self.states, self.acknowledgements, batchCount) = (states, acknowledgements, batches)
    }

    /// Checks the invariants: the database opens, holds a committed state no older than the last acknowledged one,
    /// verifies, and a rotation completes.
    func check(after loss: PowerLoss, at point: Int) throws {
        let acknowledged = acknowledgements.count { $0 <= point }
        // With a rollback journal the last commit is undone where its journal comes back.
        let first = mode == "DELETE" && loss.lostDeletions > 0 ? max(0, acknowledged - 1) : acknowledged
        let database = try open()
        let found: [String]
        do {
            let connection = try database.connect()
            found = try Self.rows(connection)
            try #require(states[first...min(acknowledged + 1, states.count - 1)].contains(found))
        }
        let report = try database.verify()
        try #require(report.isSound, "\(report.findings)")
        _ = try Self.rotate(database)
        try #require(try BaseHandle.readHeader(path, vfs: choice.base).content.rotation == nil)
        try #require(try Self.rows(try open().connect()) == found)
    }
}

@Suite("a larger rotation under power loss")
struct RotationRaceTests {
    @Test(
        "sampled crash points of a rotation beside a writer lose no commit, and each rotation can be finished",
        arguments: ["WAL", "DELETE"])
    func powerLoss(mode: String) throws {
        var race = try RotationRace("rotation race, \(mode)", mode: mode, rows: 120)
        try race.play()
        #expect(race.batchCount >= 6)
        let wanted = Effort.current == .soak ? 20_000 : 250
        var platter = Platter(race.before)
        var chance = SeededRandom()
        var (runs, lossy, deletions) = (0, 0, 0)
        let perPoint = Double(wanted) / Double(race.events.count)
        var owed = 0.0
        for point in 1...race.events.count {
            platter.record(race.events[point - 1])
            owed += perPoint * Double.random(in: 0...2.1, using: &chance)
            while owed >= 1 || (point == race.events.count && runs < wanted) {
                owed -= 1
                let seed = chance.next()
                let loss = platter.afterPowerLoss(seed: seed)
                race.disk.load(loss.image)
                runs += 1
                lossy += loss.lostWrites > 0 ? 1 : 0
                deletions += loss.lostDeletions > 0 ? 1 : 0
                #expect(throws: Never.self, "operation \(point) of \(race.events.count), seed \(seed)") {
                    try race.check(after: loss, at: point)
                }
            }
        }
        print(
            "power loss, larger rotation, \(mode): \(runs) runs of \(race.events.count) operations, \(lossy) lost a write"
        )
        #expect(runs >= wanted && lossy > wanted / 10)
    }
}
