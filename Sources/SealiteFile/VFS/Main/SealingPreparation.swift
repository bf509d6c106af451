import CSQLite
import Glibc

/// The checks that must precede the sealing of anything under a file's keys: whether the file still has its name,
/// whether its header is the known one, and whether a rotation batch is unfinished.
final class SealingPreparation {
    private let base: BaseFile
    private let path: String
    private let keys: FileKeys
    private let holes: Holes
    private let rotation: RotationFollower
    /// A Boolean value that says whether the checks must run before the next write, even if no lock is taken before it.
    private(set) var isDue = true
    /// The time, in milliseconds of the monotonic clock, until which writes to the log skip the check of the file's
    /// name.
    private var nameHolds = 0

    private static let nameInterval = 50

    init(base: BaseFile, path: String, keys: FileKeys, holes: Holes, rotation: RotationFollower) {
        self.base = base
        self.path = path
        self.keys = keys
        self.holes = holes
        self.rotation = rotation
    }

    /// Requests the checks before the next page is sealed.
    func askForIt() { isDue = true }

    /// Runs the checks: rereads the header if another process may have changed it, repairs a stale copy, and prepares
    /// the codec for sealing. Called under a lock that allows writing. With `mayWriteDatabase` (the database file
    /// itself, not only the log, may be written), also completes an unfinished rotation batch.
    func run(mayWriteDatabase: Bool) throws(VFSFailure) {
        guard let codec = keys.codec else { return }
        isDue = false
        holes.forgetEnd()
        try requireName(atOnce: mayWriteDatabase)
        try readHeader(codec.ring)
        if codec.ring.isTampered {
            throw VFSFailure(SQLITE_READONLY, .tamperedHeader(codec.ring.tampering ?? ""))
        }
        try sealing { () throws(SealedFileError) in try codec.beginSealing() }
        if mayWriteDatabase, codec.ring.isRotating { try rotation.finishOpenBatch() }
    }

    private func readHeader(_ ring: KeyRing) throws(VFSFailure) {
        assert(ring === keys.codec?.ring, "the header is that of the file's keys")
        let known = ring.generation
        let region =
            try ring.owesHeaderCopy
            ? HeaderFile.read(base) : HeaderFile.readIfChanged(base, of: ring.databaseID, since: known)
        guard let region else { return }
        try sealing { () throws(SealedFileError) in
            try ring.requireNotBefore(known, region)
            try ring.follow(region)
        }
        guard !ring.isTampered else { return }
        try HeaderFile.heal(region, on: base)
        ring.headerCopyWasWritten()
    }

    /// Throws `fileReplaced` if the file no longer has its name: what is written to it would be lost when its last
    /// connection closes, and the log and journal found by that name may belong to another file. Unless `atOnce` is
    /// true, the result of the last check counts for 50 ms.
    private func requireName(atOnce: Bool) throws(VFSFailure) {
        var clock = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &clock)
        let now = clock.tv_sec * 1000 + clock.tv_nsec / 1_000_000
        // The system call would cost a small commit a tenth of its time.
        guard atOnce || now >= nameHolds else { return }
        nameHolds = now + Self.nameInterval
        var hasMoved: CInt = 0
        let code = unsafe base.fileControl(SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard code != SQLITE_OK || hasMoved == 0 else { throw VFSFailure(.fileReplaced(path)) }
    }
}
