import SealiteCrypto
public import SealiteFile

/// The comparison of a database with its freshness record.
public enum FreshnessState: Sendable, Equatable {
    /// There is no record at this path yet: nothing can be said.
    case noRecord
    /// The database is the one recorded, or a later state of it.
    case fresh(recorded: FreshnessRecord, found: FreshnessNumbers)
    /// The database is an older state than the one recorded, or another database.
    case rolledBack(recorded: FreshnessRecord, found: FreshnessNumbers, reason: String)
}

/// The numbers by which a database is told from an older copy of itself.
public struct FreshnessNumbers: Sendable, Equatable {
    /// The database id, 32 hex digits.
    public let databaseID: String
    /// The epoch of the header.
    public let epoch: UInt32
    /// The header's freshness counter.
    public let counter: UInt64
    /// The header's generation.
    public let generation: UInt64
    /// The serial of page 1 as a reader sees it.
    public let serial: UInt32
}

/// The treatment of a freshness record when a database is opened.
public struct FreshnessPolicy: Sendable {
    /// The record's path: not beside the database, where a person who puts back the one puts back the other.
    public var recordPath: String
    /// Makes the first record where there is none. Without it, a missing record is an error.
    public var makesFirstRecord: Bool
    /// Opens a rolled-back database too, and moves the record to it: after a deliberate restore.
    public var acceptsRollback: Bool

    /// Checks against the record at a path, makes none and accepts no rollback.
    public init(recordPath: String, makesFirstRecord: Bool = false, acceptsRollback: Bool = false) {
        self.recordPath = recordPath
        self.makesFirstRecord = makesFirstRecord
        self.acceptsRollback = acceptsRollback
    }
}

extension SealedDatabase {
    /// Unlocks a sealed database that isn't older than its freshness record says.
    ///
    /// - Throws: `SealedFileError`, as ``open(_:key:limits:)``; `rolledBack`; `noSuchFile` where there is no record and the
    ///   policy makes none; `invalidArgument` where the record isn't one.
    public static func open(
        _ path: String, key: borrowing UnlockKey, limits: UnlockLimits = UnlockLimits(), freshness: FreshnessPolicy
    ) throws(SealedFileError) -> SealedDatabase {
        let database = try open(path, key: key, limits: limits)
        switch try database.freshness(against: freshness.recordPath) {
        case .fresh:
            break
        case .noRecord:
            guard freshness.makesFirstRecord else {
                throw SealedFileError(
                    .noSuchFile, "there is no freshness record at \"\(freshness.recordPath)\"",
                    hint: "make the first one with 'sealite freshness record'; if there was one, someone removed it")
            }
            try database.recordFreshness(at: freshness.recordPath)
        case .rolledBack(let recorded, let found, let reason):
            guard freshness.acceptsRollback else { throw .rolledBack(path, recorded, found, reason) }
            try database.recordFreshness(at: freshness.recordPath, acceptingRollback: true)
        }
        return database
    }

    /// Compares the database, as a reader sees it now, with a freshness record. Changes neither.
    ///
    /// The comparison can't see commits after the record, nor WAL commits that left page 1 alone. A record of version 1 has no MAC: a forged file with
    /// higher numbers passes it. Passing one of version 2 lets this handle change the keys of a file that only a recovery slot of an
    /// earlier version opened.
    ///
    /// - Throws: `SealedFileError`: `invalidArgument`, `unsupportedVersion` for the record, `busy`, `damagedPage`,
    ///   `permission`, `inputOutput`, `locked`.
    public func freshness(against recordPath: String) throws(SealedFileError) -> FreshnessState {
        try requireOtherFile(recordPath)
        guard let bytes = try StateFile.read(recordPath, limit: FreshnessRecord.byteLimit) else { return .noRecord }
        let recorded = try FreshnessRecord(parsing: bytes, path: recordPath)
        let connection = try connect()
        let pageOne = try PageOneCapture.read(on: connection, pageSize: pageSize)
        let found = try numbers(serial: pageOne.serial)
        if let reason = try reasonOfRollback(recorded, found, pageOne) {
            return .rolledBack(recorded: recorded, found: found, reason: reason)
        }
        if recorded.mac != nil { ring.noteProof() }
        return .fresh(recorded: recorded, found: found)
    }

    /// Raises the freshness counter in the header, under the write lock, and writes a record of the database as a reader sees
    /// it now. A file without an application key gets one, which the record's MAC needs. A record that the database fails is replaced only if `acceptingRollback` says so.
    ///
    /// - Returns: the new record.
    /// - Throws: `SealedFileError`: `rolledBack`, `unauthenticatedSlot` where only a recovery slot of an earlier version opened the
    ///   file and nothing else proves it (``UnlockLimits/trustsFile``), `busy`, `permission`, `diskFull`, `inputOutput`, `locked`, and
    ///   what ``freshness(against:)`` throws.
    @discardableResult
    public func recordFreshness(
        at recordPath: String, acceptingRollback: Bool = false
    ) throws(SealedFileError) -> FreshnessRecord {
        if !acceptingRollback,
            case .rolledBack(let recorded, let found, let reason) = try freshness(against: recordPath)
        {
            throw .rolledBack(path, recorded, found, reason)
        }
        try requireOtherFile(recordPath)
        try ring.requireProven()
        let raised = try raiseFreshness()
        let connection = try connect()
        let pageOne = try PageOneCapture.read(on: connection, pageSize: pageSize)
        let prefix = FreshnessRecord.digestPrefix(
            databaseID: ring.databaseID, epoch: raised.epoch.epoch, counter: raised.freshness, serial: pageOne.serial)
        guard let digest = try ring.freshnessDigest(of: pageOne, prefix: prefix, epoch: raised.epoch.epoch),
            let applicationKey = try ring.applicationKey()
        else { throw .rotatedMeanwhile(path) }
        let record = try FreshnessRecord(
            numbers: FreshnessNumbers(raised, serial: pageOne.serial), digest: digest, applicationKey: applicationKey)
        try StateFile.replace(recordPath, with: record.encoded())
        return record
    }

    /// Raises the counter, and gives a file without an application key one. Returns the header that was written.
    private func raiseFreshness() throws(SealedFileError) -> HeaderContent {
        var raised: HeaderContent?
        let ring = self.ring
        try editHeader { (content) throws(SealedFileError) in
            try content.raiseFreshness()
            if content.applicationKey == nil {
                let (key, master) = (try ApplicationKey.random(), try ring.masterKey())
                content.applicationKey = try SealedFileError.mappingCrypto { () throws(CryptoError) in
                    try master.wrap(key, databaseID: ring.databaseID)
                }
            }
            raised = content
            // The edit raises it after this.
            try raised?.raiseGeneration()
        }
        guard let raised else { throw SealedFileError(.internalFailure, "the header wasn't changed") }
        return raised
    }

    private func numbers(serial: UInt32) throws(SealedFileError) -> FreshnessNumbers {
        let known = ring.generation
        let region = try BaseHandle.readHeader(path, vfs: vfs.base)
        try ring.requireNotBefore(known, region)
        try ring.follow(region)
        return FreshnessNumbers(ring.content, serial: serial)
    }

    /// Returns the reason to take the file for an older or another one than its record's; nil where there is none. `Documentation/FORMAT.md` §15.
    private func reasonOfRollback(
        _ recorded: FreshnessRecord, _ found: FreshnessNumbers, _ pageOne: PageOneCapture
    ) throws(SealedFileError) -> String? {
        if found.databaseID != recorded.databaseID { return "it is another database" }
        guard try recorded.isAuthentic(under: try ring.applicationKey()) else {
            return
                "the record wasn't made with its application key: it is an old or a forged file, or the record was changed"
        }
        if found.epoch < recorded.epoch { return "its keys are older" }
        if found.counter < recorded.counter { return "its freshness counter is lower" }
        if let generation = recorded.generation, found.generation < generation { return "its header is older" }
        let distance = recorded.serial &- found.serial
        if distance != 0, distance <= 1 << 31 { return "its serial is behind" }
        guard distance == 0, found.epoch == recorded.epoch else { return nil }
        let prefix = FreshnessRecord.digestPrefix(
            databaseID: ring.databaseID, epoch: recorded.epoch, counter: recorded.counter, serial: recorded.serial)
        guard let digest = try ring.freshnessDigest(of: pageOne, prefix: prefix, epoch: recorded.epoch) else {
            throw .rotatedMeanwhile(path)
        }
        return constantTimeEqual(digest, recorded.digest) ? nil : "its page 1 is another one of the same serial"
    }

    /// A record in the place of the database would destroy it.
    private func requireOtherFile(_ recordPath: String) throws(SealedFileError) {
        guard FilePermissions.isSameFile(path, recordPath) else { return }
        throw SealedFileError(.invalidArgument, "\"\(recordPath)\" is the database itself, not a place for its record")
    }
}

extension FreshnessNumbers {
    init(_ content: HeaderContent, serial: UInt32) {
        databaseID = content.databaseID.hex
        epoch = content.epoch.epoch
        counter = content.freshness
        generation = content.generation
        self.serial = serial
    }
}

extension KeyRing {
    /// The keyed digest of a page 1; nil where the header no longer holds the key of that epoch.
    func freshnessDigest(
        of pageOne: PageOneCapture, prefix: [UInt8], epoch: UInt32
    ) throws(SealedFileError) -> [UInt8]? {
        guard let pageKey = try pageKey(of: epoch) else { return nil }
        return try SealedFileError.mappingCrypto { () throws(CryptoError) in
            let key = try pageKey.derive("Sealite 1 freshness", databaseID: databaseID)
            return try pageOne.digest(prefix: prefix, key: key)
        }
    }
}

extension SealedFileError {
    package static func rolledBack(
        _ path: String, _ recorded: FreshnessRecord, _ found: FreshnessNumbers, _ reason: String
    ) -> SealedFileError {
        let same = found.databaseID == recorded.databaseID
        let numbers =
            same
            ? "recorded epoch \(recorded.epoch), counter \(recorded.counter), \(recorded.generation.map { "header \($0), " } ?? "")"
                + "serial \(recorded.serial); found epoch \(found.epoch), counter \(found.counter), "
                + "header \(found.generation), serial \(found.serial)"
            : "recorded \(recorded.databaseID), found \(found.databaseID)"
        return SealedFileError(
            .rolledBack, "\"\(path)\" was rolled back: \(reason) (\(numbers))",
            hint: "find out who put it there; after a deliberate restore, '--accept-rollback' moves the record")
    }

    static func rotatedMeanwhile(_ path: String) -> SealedFileError {
        SealedFileError(.busy, "the keys of \"\(path)\" were rotated meanwhile", hint: "try again")
    }
}
