import CSQLite
import Glibc
import SealiteCrypto

/// The look at the file before anything is sealed under its keys: at its name, its header, and what a rotation left.
final class SealingPreparation {
    private let base: BaseFile
    private let path: String
    private let keys: FileKeys
    private let holes: Holes
    private let rotation: RotationFollower
    /// True where sealing becomes possible without a lock that would have led here.
    private(set) var isDue = true
    /// The moment, in milliseconds of the monotonic clock, until which a commit to the log believes that the file has its name.
    private var nameHolds = 0

    private static let nameInterval = 50

    init(base: BaseFile, path: String, keys: FileKeys, holes: Holes, rotation: RotationFollower) {
        self.base = base
        self.path = path
        self.keys = keys
        self.holes = holes
        self.rotation = rotation
    }

    /// Asks for a look before the next page is sealed.
    func askForIt() { isDue = true }

    /// Reads the header again if another process may have changed it, and mends a stale copy. Called under a lock that
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

    /// Refuses to write into a file that has lost its name: what is written there is lost with the last connection, and the
    /// log and journal of this name belong to another file by now.
    private func requireName(atOnce: Bool) throws(VFSFailure) {
        var clock = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &clock)
        let now = clock.tv_sec * 1000 + clock.tv_nsec / 1_000_000
        // Asking the system costs a small commit a tenth of its time.
        guard atOnce || now >= nameHolds else { return }
        nameHolds = now + Self.nameInterval
        var hasMoved: CInt = 0
        let code = unsafe base.fileControl(SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard code != SQLITE_OK || hasMoved == 0 else { throw VFSFailure(.fileReplaced(path)) }
    }
}
