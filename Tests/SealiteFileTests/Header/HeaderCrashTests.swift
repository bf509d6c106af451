import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance
@testable import SealiteTestSupport

/// Something that rewrites the header.
enum HeaderWork: String, CaseIterable, CustomTestStringConvertible {
    case addSlot, removeSlot, changeSlot, raiseFreshness, restoreHeader, acceptCopy

    var testDescription: String { rawValue }
}

/// A database on a disk in memory whose header is being changed.
private struct HeaderStage {
    let disk = MemoryDisk()
    let vfs: TestVFS
    let choice: VFSChoice
    let path = "/disk/main.db"
    let folder: Folder
    let work: HeaderWork
    let before: DiskImage
    /// The secrets of slots: the first is in every state.
    private static let staying: UInt8 = 1
    private static let leaving: UInt8 = 2
    private static let coming: UInt8 = 3

    init(_ name: String, _ work: HeaderWork, mode: String) throws {
        folder = try Folder()
        self.work = work
        vfs = try TestVFS(name: "\(name), below", disk: disk)
        choice = VFSChoice(name: "\(name), sealed", base: vfs.name)
        let database = try SealedDatabase.create(
            path, slot: .rawKey(rawKey(Self.staying)), options: CreationOptions(pageSize: 1024), vfs: choice)
        do {
            let connection = try database.connect()
            _ = try connection.text("PRAGMA journal_mode=\(mode)")
            try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(3000)), ('two')")
        }
        try database.addSlot(.rawKey(rawKey(Self.leaving)), label: "leaving")
        var image = disk.image
        var bytes = try #require(image[path: path])
        let saved = Array(bytes[..<HeaderLayout.regionByteCount])
        try RawFile.write(saved, to: folder.file("header"))
        switch work {
        case .restoreHeader:
            for copy in 0..<2 { bytes[copy * HeaderLayout.copyByteCount + 700] ^= 1 }
        case .acceptCopy:
            var content = try HeaderRegion(parsing: saved).content
            content.generation += 3
            bytes.replaceSubrange(
                ..<HeaderLayout.copyByteCount, with: try HeaderImage(content, master: try MasterKey.random()).bytes)
        default: break
        }
        image[path: path] = bytes
        before = image
    }

    private func open(_ seed: UInt8) throws -> SealedDatabase {
        try SealedDatabase.open(path, key: .rawKey(rawKey(seed)), vfs: choice)
    }

    func perform() throws {
        let limits = UnlockLimits()
        switch work {
        case .addSlot: try open(Self.staying).addSlot(.rawKey(rawKey(Self.coming)), label: "new")
        case .removeSlot: try open(Self.staying).removeSlot(2)
        case .changeSlot: try open(Self.leaving).changeSlot(2, to: .rawKey(rawKey(Self.coming)))
        case .raiseFreshness: try open(Self.staying).editHeader { $0.freshness += 1 }
        case .restoreHeader:
            _ = try SealedDatabase.restoreHeader(
                of: path, from: folder.file("header"), key: .rawKey(rawKey(Self.staying)), limits: limits, vfs: choice)
        case .acceptCopy:
            _ = try SealedDatabase.acceptHeaderCopy(
                of: path, key: .rawKey(rawKey(Self.staying)), limits: limits, copy: nil, vfs: choice)
        }
    }

    /// Both the old and the new slots are a state; half of them isn't. A repair that was cut short is begun again.
    func check(mustBeDone: Bool) throws {
        if work == .restoreHeader || work == .acceptCopy {
            // Nothing to decide any more is the answer where it was done.
            do { try perform() } catch let error as SealedFileError where error.code == .refused {}
        }
        let opens = [Self.leaving, Self.coming].map { (try? open($0)) != nil }
        switch work {
        case .addSlot: try #require(opens == [true, true] || (opens == [true, false] && !mustBeDone))
        case .removeSlot: try #require(opens == [false, false] || (opens == [true, false] && !mustBeDone))
        case .changeSlot: try #require(opens == [false, true] || (opens == [true, false] && !mustBeDone))
        default: try #require(opens == [true, false])
        }
        let database = try open(Self.staying)
        // The next writer heals a copy that is behind.
        try database.connect().execute("INSERT INTO t VALUES ('after')")
        let report = try database.verify()
        try #require(report.isSound, "\(report.findings)")
        try #require(try database.connect().integer("SELECT count(*) FROM t") == 3)
        try #require(try database.publicHeader().copies == [.current, .current])
    }
}

@Suite("changes of the header under power loss and faults")
struct HeaderCrashTests {
    @Test(
        "a power loss at any operation leaves the old slots or the new", arguments: HeaderWork.allCases,
        ["WAL", "DELETE"])
    func powerLoss(work: HeaderWork, mode: String) throws {
        let stage = try HeaderStage("header power loss, \(work), \(mode)", work, mode: mode)
        stage.disk.load(stage.before)
        try stage.perform()
        let events = stage.disk.events
        var platter = Platter(stage.before)
        let seedCount = Effort.current == .soak ? 200 : 12
        var (runs, lossy) = (0, 0)
        for point in 0...events.count {
            if point > 0 { platter.record(events[point - 1]) }
            for index in 0..<(platter.pending.isEmpty ? 1 : seedCount) {
                let seed = TestSeed.run &+ UInt64(point * seedCount + index)
                let loss = platter.afterPowerLoss(seed: seed)
                stage.disk.load(loss.image)
                runs += 1
                lossy += loss.lostWrites > 0 ? 1 : 0
                // Acknowledged: it is there to stay.
                #expect(throws: Never.self, "operation \(point) of \(events.count), seed \(seed)") {
                    try stage.check(mustBeDone: point == events.count)
                }
            }
        }
        print("power loss, \(work), \(mode): \(runs) runs, \(lossy) lost a write")
        #expect(lossy > 0)
    }

    @Test(
        "a failed operation is told, and leaves the old slots or the new", arguments: HeaderWork.allCases,
        [Fault.Style.error, .lasting])
    func faults(work: HeaderWork, style: Fault.Style) throws {
        let stage = try HeaderStage("header faults, \(work), \(style)", work, mode: "WAL")
        var (runs, told) = (0, 0)
        for number in 1... {
            stage.disk.load(stage.before)
            stage.vfs.tap.arm(Fault(style, number: number))
            var isDone = true
            do { try stage.perform() } catch { (told, isDone) = (told + 1, false) }
            stage.vfs.tap.disarm()
            guard stage.vfs.tap.strikes > 0 else { break }
            runs += 1
            #expect(throws: Never.self, "\(style) at operation \(number)") { try stage.check(mustBeDone: isDone) }
        }
        print("fault \(style), \(work): \(runs) operations failed, \(told) told")
        #expect(told > 0)
    }
}
