import CSQLite
import Testing

@testable import SealiteFile

@Suite("the guard against a restarted log")
struct WALResetGuardTests {
    /// SQLite's calls for locks, beside an index in memory whose log others may restart.
    @safe
    private final class Play {
        private var walGuard = WALResetGuard()
        private let memory = UnsafeMutableRawPointer.allocate(byteCount: 136, alignment: 8)
        private var isMapped: Bool

        init(isMapped: Bool = true) {
            unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: 136)
            self.isMapped = isMapped
        }

        deinit { unsafe memory.deallocate() }

        private var index: UnsafeRawPointer? { unsafe isMapped ? UnsafeRawPointer(memory) : nil }

        /// Increments the first salt, which is stored in big-endian order, as a restart of the log does.
        func restart() {
            let salt = unsafe UInt32(bigEndian: memory.load(fromByteOffset: 32, as: UInt32.self))
            unsafe memory.storeBytes(of: (salt &+ 1).bigEndian, toByteOffset: 32, as: UInt32.self)
        }

        func map() {
            isMapped = true
            unsafe walGuard.mapped(index)
        }

        func unmap() {
            isMapped = false
            walGuard.willUnmap()
        }

        /// Takes locks, the first of which is `slot`. Returns false if the guard wants them released again.
        @discardableResult
        func take(_ slot: CInt, _ count: CInt = 1, shared: Bool = false, code: CInt = SQLITE_OK) -> Bool {
            let change = Self.change(SQLITE_SHM_LOCK, slot, count, shared)
            unsafe walGuard.willPerform(change, index)
            return unsafe walGuard.hasPerformed(change, code: code, index)
        }

        /// Releases locks; others act in `meanwhile`, right after the base VFS has released them.
        func drop(_ slot: CInt, _ count: CInt = 1, _ code: CInt = SQLITE_OK, meanwhile: () -> Void = {}) {
            let change = Self.change(SQLITE_SHM_UNLOCK, slot, count, false)
            unsafe walGuard.willPerform(change, index)
            meanwhile()
            #expect(unsafe walGuard.hasPerformed(change, code: code, index))
        }

        /// Takes a lock that the VFS releases again, because a step of its own failed.
        func takeInVain(_ slot: CInt) {
            take(slot)
            walGuard.gaveBack(Self.change(SQLITE_SHM_LOCK, slot, 1, false))
        }

        private static func change(_ flag: CInt, _ slot: CInt, _ count: CInt, _ shared: Bool) -> WALLockChange {
            WALLockChange(
                offset: slot, count: count, flags: flag | (shared ? SQLITE_SHM_SHARED : SQLITE_SHM_EXCLUSIVE))
        }
    }

    private let write: CInt = 0
    private let checkpoint: CInt = 1
    private let recovery: CInt = 2
    private let backfill: CInt = 3

    @Test("lets a checkpoint copy the log that it has read, and the next one after a restart")
    func unchanged() {
        let play = Play()
        for _ in 0..<3 {
            play.take(checkpoint)
            #expect(play.take(backfill))
            play.drop(backfill)
            play.drop(checkpoint)
            play.restart()
        }
    }

    @Test("the guard refuses a log that was restarted after the checkpoint lock, however often SQLite asks")
    func restarted() {
        let play = Play()
        play.take(checkpoint)
        play.restart()
        #expect(!play.take(backfill))
        #expect(!play.take(backfill))
        play.drop(checkpoint)
        play.take(checkpoint)
        #expect(play.take(backfill))
    }

    @Test("a lock that the base refuses is SQLite's affair: no second release")
    func busy() {
        let play = Play()
        play.take(checkpoint)
        play.restart()
        #expect(play.take(backfill, code: SQLITE_BUSY))
    }

    @Test("where the write lock was refused, what counts is the log after that")
    func refusedWrite() {
        let play = Play()
        play.take(checkpoint)
        play.restart()
        play.take(write, code: SQLITE_BUSY)
        #expect(play.take(backfill))
        play.drop(backfill)
        play.restart()
        #expect(!play.take(backfill))
    }

    @Test("with the write lock only the connection itself changes the log: by a recovery of the index")
    func ownRecovery() {
        let play = Play()
        play.take(checkpoint)
        play.take(write)
        play.take(recovery)
        play.restart()
        play.drop(recovery)
        #expect(play.take(backfill))
    }

    @Test("where the header was read again under the write lock, a restart right after its release is noticed")
    func releasedWrite() {
        let play = Play()
        play.take(checkpoint)
        play.restart()
        play.take(write)
        play.drop(write)
        #expect(play.take(backfill))
        play.drop(backfill)
        play.take(write)
        play.drop(write, meanwhile: play.restart)
        #expect(!play.take(backfill))
    }

    @Test("a release that fails is one for SQLite, and so for the guard", arguments: [SQLITE_IOERR, SQLITE_OK])
    func failedRelease(code: CInt) {
        let play = Play()
        play.take(checkpoint)
        play.take(write)
        play.drop(write, 1, code)
        play.restart()
        #expect(!play.take(backfill))
        play.drop(checkpoint, 1, code)
        #expect(play.take(backfill), "no checkpoint")
    }

    @Test("a log whose index isn't mapped is unknown; one that is mapped under the checkpoint lock is known")
    func mapping() {
        let play = Play(isMapped: false)
        play.take(checkpoint)
        #expect(!play.take(backfill))
        play.map()
        #expect(play.take(backfill))
        play.drop(backfill)
        play.restart()
        #expect(!play.take(backfill))
        play.unmap()
        play.map()
        #expect(play.take(backfill), "the locks ended with the index")
    }

    @Test("a lock that the VFS gave back isn't SQLite's, and what was read before it is unknown")
    func givenBack() {
        let play = Play()
        play.takeInVain(checkpoint)
        play.restart()
        #expect(play.take(backfill), "no checkpoint")
        play.drop(backfill)
        play.take(checkpoint)
        play.takeInVain(write)
        #expect(!play.take(backfill), "a refusal is safe, and holding the write lock would be wrong")
    }

    @Test("the locks of a recovery include the checkpoint lock; shared locks and those of a restart don't count")
    func otherLocks() {
        let play = Play()
        play.take(write)
        play.take(checkpoint, 2)
        play.drop(checkpoint, 2)
        play.drop(write)
        play.restart()
        #expect(play.take(backfill))
        play.drop(backfill)
        play.take(checkpoint)
        play.restart()
        #expect(play.take(4, 4) && play.take(backfill, shared: true) && play.take(checkpoint, shared: true))
        #expect(!play.take(backfill))
    }

    @Test("the guard against a restarted log is in force in the VFS")
    func inForce() { #expect(WALResetGuard.isInForce()) }

    @Test(
        "knows which versions of SQLite lose rows",
        arguments: [
            (3_006_023, false), (3_007_000, true), (3_040_001, true), (3_044_005, true), (3_044_006, false),
            (3_045_000, true), (3_046_001, true), (3_050_006, true), (3_050_007, false), (3_051_000, true),
            (3_051_002, true), (3_051_003, false), (3_053_004, false),
        ] as [(Int32, Bool)])
    func versions(version: Int32, isAffected: Bool) {
        #expect(WALResetGuard.isNeeded(by: version) == isAffected)
    }
}
