import SealiteCrypto
import SealiteFileTestSupport
import SealiteMaintenance
import Testing

@testable import SealiteFile
@testable import SealiteTestSupport

/// A rotation on a disk in memory: played once, then cut off by a power loss at every point, or failed at every operation.
private struct RotationStage {
    let disk = MemoryDisk()
    let vfs: TestVFS
    let choice: VFSChoice
    let path = "/disk/main.db"
    let before: DiskImage
    let content: [String]

    init(_ name: String, journal: String) throws {
        vfs = try TestVFS(name: "\(name), below", disk: disk)
        choice = VFSChoice(name: "\(name), sealed", base: vfs.name)
        let database = try SealedDatabase.create(
            path, slot: .rawKey(Self.key()), options: CreationOptions(pageSize: 1024), vfs: choice)
        do {
            let connection = try database.connect()
            _ = try connection.text("PRAGMA journal_mode=\(journal)")
            try connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
            try connection.execute(
                "INSERT INTO t(b) VALUES(zeroblob(900)), (hex(zeroblob(600))), ('three'), (zeroblob(2500))")
            if journal == "WAL" {
                try connection.query("PRAGMA wal_checkpoint(TRUNCATE)")
                try connection.execute("UPDATE t SET b = 'drei' WHERE a = 3")
            }
            content = try Self.rows(connection)
            // The connection's close would bring the log home: the image is taken before.
            before = disk.image
        }
    }

    static func key() -> SecretBytes {
        let bytes = [UInt8](repeating: 9, count: 32)
        return unsafe SecretBytes(copying: bytes.span.bytes)
    }

    static func rows(_ connection: RawConnection) throws -> [String] {
        var rows: [String] = []
        try connection.query("SELECT a, hex(b) FROM t ORDER BY a") { (row) throws(SealedFileError) in
            rows.append("\(row.integer(0)) \(row.text(1) ?? "")")
        }
        return rows
    }

    func open() throws -> SealedDatabase { try SealedDatabase.open(path, key: .rawKey(Self.key()), vfs: choice) }

    func rotate() throws -> RotationReport { try KeyRotation(of: try open()).run(busyTimeout: .seconds(1)) }

    /// Checks the invariants: the database opens, holds its former content, verifies, and a rotation completes.
    func check() throws {
        let database = try open()
        do {
            let connection = try database.connect()
            try #require(try Self.rows(connection) == content)
            try #require(try connection.text("PRAGMA integrity_check") == "ok")
        }
        let report = try database.verify()
        try #require(report.isSound, "\(report.findings)")
        let rotation = try KeyRotation(of: database)
        _ = try rotation.isResuming ? rotation.finish(busyTimeout: .seconds(1)) : rotation.run(busyTimeout: .seconds(1))
        try #require(try BaseHandle.readHeader(path, vfs: choice.base).content.rotation == nil)
        try #require(try Self.rows(try open().connect()) == content)
    }
}

@Suite("rotation under power loss and faults")
struct RotationCrashTests {
    @Test(
        "a power loss at any point of a rotation leaves every row, and the rotation can be finished",
        arguments: ["WAL", "DELETE"])
    func powerLoss(journal: String) throws {
        let stage = try RotationStage("rotation, power loss, \(journal)", journal: journal)
        stage.disk.load(stage.before)
        #expect(try stage.rotate().pagesResealed > 1)
        let events = stage.disk.events
        var platter = Platter(stage.before)
        var (runs, lossy) = (0, 0)
        let seedCount = Effort.current == .test ? 3 : 60
        for point in 0...events.count {
            if point > 0 { platter.record(events[point - 1]) }
            for index in 0..<(platter.pending.isEmpty ? 1 : seedCount) {
                let seed = TestSeed.run &+ UInt64(point * seedCount + index)
                let loss = platter.afterPowerLoss(seed: seed)
                stage.disk.load(loss.image)
                runs += 1
                lossy += loss.lostWrites > 0 ? 1 : 0
                #expect(throws: Never.self, "operation \(point) of \(events.count), seed \(seed)") { try stage.check() }
            }
        }
        print("power loss, rotation, \(journal): \(runs) runs, \(lossy) of them lost a write")
        #expect(lossy > 0)
    }

    @Test(
        "a failed operation during a rotation is told, and loses nothing", arguments: ["WAL", "DELETE"],
        [Fault.Style.error, .lasting])
    func faults(journal: String, style: Fault.Style) throws {
        let stage = try RotationStage("rotation, \(style), \(journal)", journal: journal)
        var (runs, told) = (0, 0)
        for number in 1... {
            stage.disk.load(stage.before)
            stage.vfs.tap.arm(Fault(style, number: number))
            do { _ = try stage.rotate() } catch { told += 1 }
            stage.vfs.tap.disarm()
            guard stage.vfs.tap.strikes > 0 else { break }
            runs += 1
            #expect(throws: Never.self, "\(style) at operation \(number)") { try stage.check() }
        }
        print("fault \(style), rotation, \(journal): \(runs) operations failed, \(told) told")
        #expect(told > 0)
    }
}
