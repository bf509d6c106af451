import CSQLite
import Glibc
import SealiteCrypto

/// The checks before anything is sealed under a file's keys: of its name, its header, and an unfinished rotation batch.
final class SealingPreparation {
    private let base: BaseFile
    private let path: String
    private let keys: FileKeys
    private let holes: Holes
    private let rotation: RotationFollower
    /// A Boolean value that says whether the checks must run before the next write, although no lock triggers them.
    private(set) var isDue = true
    /// The time, in milliseconds of the monotonic clock, until which commits to the log assume that the file still has
    /// its name.
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

    /// Rereads the header if another process may have changed it, and repairs a stale copy. Called under a lock that
    /// allows writing.
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

    /// Refuses to write into a file that has lost its name: its content disappears with the last connection, and the
    /// log and journal of this name may belong to another file.
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
