package import SealiteFile
package import SealiteTestSupport
import Synchronization

/// The system's files under a sealing VFS of their own, which can stop taking writes in the midst of a transaction, as a
/// process that is killed does: what was written stays, what would come doesn't.
package final class MortalDisk {
    package let choice: VFSChoice
    private let vfs: TestVFS
    private static let count = Atomic<Int>(0)
    private static let mutations: Set<FileOperation.Kind> = [.write, .truncate, .delete]

    package init() throws {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        vfs = try TestVFS(name: "mortal-\(number)", over: "unix")
        choice = VFSChoice(name: "sealite-mortal-\(number)", base: vfs.name)
        // The sealing VFS can't be unregistered, so what it stands on must stay.
        _ = unsafe Unmanaged.passRetained(vfs)
    }

    package var tap: Tap { vfs.tap }

    /// Returns the number of changes of files that `body` makes.
    package func mutations(of body: () throws -> Void) throws -> Int {
        vfs.tap.arm(Fault(.lasting, number: .max, kinds: Self.mutations))
        defer { vfs.tap.disarm() }
        try body()
        vfs.tap.disarm()
        return vfs.tap.count
    }

    /// Runs `body`, which opens and closes its own connections, until the n-th change of a file; that one and all later ones
    /// don't happen.
    package func die(at number: Int, during body: () throws -> Void) {
        vfs.tap.arm(Fault(.lasting, number: number, kinds: Self.mutations))
        try? body()
        vfs.tap.disarm()
    }

    /// Returns the operations that passed below the sealing VFS while `body` ran.
    package func record(_ body: () throws -> Void) throws -> [FileOperation] {
        vfs.tap.record()
        do { try body() } catch {
            _ = vfs.tap.finishRecording()
            throw error
        }
        return vfs.tap.finishRecording()
    }
}

/// A folder as a crash left it in the midst of a transaction.
package struct Crash {
    package let folder: Folder
    /// The fingerprint of the notes before the transaction.
    package let before: String

    /// A database of one table in a journal mode, dead at the last change that a transaction makes: the commit point.
    package init(mode: String, pageSize: Int = 1024, rows: Int = 100, transaction: String = Crash.changeAll) throws {
        let disk = try MortalDisk()
        let (first, rehearsal) = (try Folder(), try Folder())
        before = try first.create(mode: mode, pageSize: pageSize, rows: rows).connect().fingerprint()
        try first.copy(to: rehearsal)
        let count = try disk.mutations { try Self.run(transaction, mode, in: rehearsal, on: disk) }
        disk.die(at: count) { try Self.run(transaction, mode, in: first, on: disk) }
        folder = first
    }

    package static let changeAll = "UPDATE notes SET body = 'changed ' || body; INSERT INTO notes(body) VALUES ('new')"

    package static func run(_ transaction: String, _ mode: String, in folder: Folder, on disk: MortalDisk) throws {
        let connection = try folder.open(vfs: disk.choice).connect()
        _ = try connection.text("PRAGMA journal_mode = \(mode)")
        try connection.execute("BEGIN; \(transaction); COMMIT")
    }
}
