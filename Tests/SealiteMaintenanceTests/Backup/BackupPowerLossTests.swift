import SealiteCrypto
import SealiteFileTestSupport
import Synchronization
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance
@testable import SealiteTestSupport

/// The power fails while a backup is made. What reached the disk then: of a file not yet synced any blocks, of a folder not yet
/// synced any of the names.
@Suite("power loss during a backup")
struct BackupPowerLossTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// The files that a moment of the backup left on the disk, as far as they are sure.
    private struct Moment: Sendable {
        var temporary: [UInt8]
        var isSynced = false
        /// True where the backup has its name; nil where the power loss decides.
        var isNamed: Bool? = false
    }

    @Test(
        "a power loss during a backup leaves no backup or a whole one, and the next backup finds nothing in its way",
        arguments: ["WAL", "DELETE"])
    func publication(mode: String) throws {
        try folder.create(mode: mode, rows: 60)
        let database = try folder.open()
        let content = try database.connect().fingerprint()
        let moments = try record(database)
        #expect(moments.count { !$0.isSynced } > 1 && moments.count { $0.isNamed == nil } == 1)
        #expect(moments.last?.isNamed == true)
        let sealed = try RawFile.read(folder.file("copy.db"))
        try RawFile.remove(folder.file("copy.db"))
        var (whole, torn, seed) = (0, 0, TestSeed.run)
        for moment in moments {
            #expect(!moment.isSynced || moment.temporary == sealed, "nothing is written behind the sync")
            for _ in 0..<(Effort.current == .soak ? 200 : 10) {
                seed &+= 1
                var chance = SeededRandom(seed: seed)
                let hasName = moment.isNamed ?? (chance.below(2) == 0)
                let bytes = moment.isSynced ? moment.temporary : tear(moment.temporary, &chance)
                if bytes != moment.temporary { torn += 1 }
                try RawFile.write(bytes, to: folder.file(hasName ? "copy.db" : Self.leftover))
                if hasName { whole += 1 } else { _ = try database.backup(to: folder.file("copy.db")) }
                #expect(folder.names.count { $0.contains(NewFile.marker) } == 0)
                let copy = try folder.open("copy.db")
                #expect(try copy.verify().isSound)
                #expect(try copy.connect().fingerprint() == content)
                for name in folder.names where name.hasPrefix("copy.db") { try RawFile.remove(folder.file(name)) }
            }
        }
        print("power loss, backup, \(mode): \(moments.count) moments, \(torn) torn copies, \(whole) whole backups")
        #expect(torn > 0 && whole > 0)
        #expect(try database.connect().fingerprint() == content)
    }

    private static let leftover = ".copy.db\(NewFile.marker)0123456789abcdef"

    /// Makes a backup, and notes what is on the disk at each moment that is told of.
    private func record(_ database: SealedDatabase) throws -> [Moment] {
        let moments = Mutex<[Moment]>([])
        let folder = folder
        @Sendable func note(isSynced: Bool, isNamed: Bool?) {
            let name = folder.names.first { $0.contains(NewFile.marker) } ?? "copy.db"
            guard let bytes = try? RawFile.read(folder.file(name)) else { return }
            moments.withLock { $0.append(Moment(temporary: bytes, isSynced: isSynced, isNamed: isNamed)) }
        }
        try NewFile.$onPublication.withValue({ step in
            switch step {
            case .synced: note(isSynced: true, isNamed: false)
            case .named: note(isSynced: true, isNamed: nil)
            case .durable: note(isSynced: true, isNamed: true)
            }
        }) {
            // With a name the file can be looked at; without one nothing is left that a power loss could reveal.
            _ = try NewFile.$allowsDrafts.withValue(false) {
                try database.backup(to: folder.file("copy.db")) { _ in
                    note(isSynced: false, isNamed: false)
                    return true
                }
            }
        }
        return moments.withLock { $0 }
    }

    /// Drops blocks, or the end.
    private func tear(_ bytes: [UInt8], _ chance: inout SeededRandom) -> [UInt8] {
        var torn = bytes
        for start in stride(from: 0, to: bytes.count, by: 4096) where chance.below(3) == 0 {
            for place in start..<min(start + 4096, bytes.count) { torn[place] = 0 }
        }
        if chance.below(3) == 0 { torn.removeLast(chance.below(bytes.count + 1)) }
        return torn
    }
}
