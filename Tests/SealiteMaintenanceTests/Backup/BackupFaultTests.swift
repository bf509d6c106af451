import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance
@testable import SealiteTestSupport

/// Backups over the system's own files, with a tap below the sealing VFS: of source and copy alike.
@Suite("backups under faults")
struct BackupFaultTests {
    private let folder: Folder
    private let vfs: TestVFS
    private let choice: VFSChoice

    init() throws {
        folder = try Folder()
        let name = "backup faults \(UInt64.random(in: 0 ... .max))"
        vfs = try TestVFS(name: "\(name), below", over: "unix")
        choice = VFSChoice(name: "\(name), sealed", base: vfs.name)
        // The sealing VFS can't be unregistered, so what it stands on must stay.
        _ = unsafe Unmanaged.passRetained(vfs)
    }

    @Test(
        "a failed operation is told and leaves no copy, or a sound one; the source is as it was",
        arguments: ["WAL", "DELETE"], [Fault.Style.error, .lasting, .full])
    func faults(mode: String, style: Fault.Style) throws {
        try folder.create(mode: mode, rows: 60)
        let database = try folder.open(vfs: choice)
        let content = try database.connect().fingerprint()
        var (runs, told, fullCount) = (0, 0, 0)
        let stride = Effort.current == .soak ? 1 : 3
        for number in Swift.stride(from: 1, to: Int.max, by: stride) {
            vfs.tap.arm(Fault(style, number: number))
            var failure: SealedFileError?
            do throws(SealedFileError) {
                _ = try database.backup(to: folder.file("copy.db"))
            } catch {
                failure = error
                told += 1
            }
            vfs.tap.disarm()
            #expect(failure?.reason.contains("not an error") != true, "\(style) at operation \(number)")
            if style == .full, let failure { fullCount += failure.reason.contains("full") ? 1 : 0 }
            guard vfs.tap.strikes > 0 else { break }
            runs += 1
            #expect(folder.names.contains("copy.db") == (failure == nil), "\(style) at operation \(number)")
            #expect(!folder.names.contains { $0.contains(NewFile.marker) }, "\(style) at operation \(number)")
            if failure == nil {
                let copy = try folder.open("copy.db")
                #expect(try copy.verify().isSound)
                #expect(try copy.connect().fingerprint() == content)
                try RawFile.remove(folder.file("copy.db"))
                for suffix in ["-wal", "-shm"] where RawFile.exists(folder.file("copy.db" + suffix)) {
                    try RawFile.remove(folder.file("copy.db" + suffix))
                }
            }
        }
        print("fault \(style), backup, \(mode): \(runs) operations failed, \(told) told")
        #expect(told > 0 && (style != .full || fullCount > told / 2), "\(fullCount) of \(told) name the full disk")
        #expect(try database.connect().fingerprint() == content)
        #expect(try database.verify().isSound)
    }
}
