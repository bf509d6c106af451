import SealiteCrypto
public import SealiteFile

extension SealedDatabase {
    /// Unlocks a sealed database and compares it with its freshness record, as `freshness` says. A database that is
    /// older than the record, or doesn't match it for another reason, is refused, unless the policy accepts that; a new
    /// record then replaces the old one.
    ///
    /// - Throws: `SealedFileError`, as `open(_:key:limits:)`; `rolledBack`; `noSuchFile` if no record exists and the
    ///   policy creates none; `invalidArgument` if the file isn't a record.
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
                    hint: MaintenanceRemedy.makeFreshnessRecord.hint)
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
    /// The comparison doesn't detect the loss of commits after the record, nor of WAL commits that didn't write page 1.
    ///
    /// - Throws: `SealedFileError`: `invalidArgument`, `unsupportedVersion` for the record, `rolledBack` if the header
    ///   is older than the one that this handle read before, `busy`, `damagedPage`, `permission`, `inputOutput`,
    ///   `locked`.
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
        return .fresh(recorded: recorded, found: found)
    }

    /// Raises the freshness counter in the header, and writes a record of the database as a reader sees it now. If the
    /// file has no application key, which the record's MAC needs, one is added. A record that doesn't match the
    /// database is replaced only with `acceptingRollback`.
    ///
    /// The database's write lock is held from the change of the header until the record is replaced. A slower writer of
    /// the record therefore can't put an older record over a newer one, which would let an old header pass again.
    ///
    /// - Returns: the new record.
    /// - Throws: `SealedFileError`: `rolledBack`, `busy`, `permission`, `diskFull`, `inputOutput`, `locked`, and the
    ///   errors of ``freshness(against:)``.
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
        var made: FreshnessRecord?
        try raiseFreshness { (raised) throws(SealedFileError) in
            let record = try makeRecord(of: raised)
            try StateFile.replace(recordPath, with: record.encoded())
            made = record
        }
        guard let made else {
            throw SealedFileError(
                .internalFailure, "the freshness counter in the header of \"\(path)\" wasn't raised")
        }
        return made
    }

    /// Creates a record of the database as a reader sees it now, with the numbers of the header that was just written.
    private func makeRecord(of raised: HeaderContent) throws(SealedFileError) -> FreshnessRecord {
        let connection = try connect()
        let pageOne = try PageOneCapture.read(on: connection, pageSize: pageSize)
        let prefix = FreshnessRecord.digestPrefix(
            databaseID: ring.databaseID, epoch: raised.epoch.epoch, counter: raised.freshness, serial: pageOne.serial)
        guard let digest = try ring.freshnessDigest(of: pageOne, prefix: prefix, epoch: raised.epoch.epoch),
            let applicationKey = try ring.applicationKey()
        else { throw .rotatedMeanwhile(path) }
        return try FreshnessRecord(
            numbers: FreshnessNumbers(raised, serial: pageOne.serial), digest: digest, applicationKey: applicationKey)
    }

    /// Increments the freshness counter in the header, and adds a random application key, wrapped under the master key,
    /// if the header has none. Passes the header that was written to `last`, before the write lock is released.
    private func raiseFreshness(
        beforeUnlocking last: (HeaderContent) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
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
            // The edit raises the generation afterwards.
            try raised?.raiseGeneration()
        } beforeUnlocking: { () throws(SealedFileError) in
            if let raised { try last(raised) }
        }
    }

    private func numbers(serial: UInt32) throws(SealedFileError) -> FreshnessNumbers {
        let known = ring.generation
        let region = try BaseHandle.readHeader(path, vfs: vfs.base)
        try ring.requireNotBefore(known, region)
        try ring.follow(region)
        return FreshnessNumbers(ring.content, serial: serial)
    }

    /// Returns the reason why the file is considered older than, or different from, the recorded one; nil if it is
    /// neither. `Documentation/FORMAT.md` §15.
    private func reasonOfRollback(
        _ recorded: FreshnessRecord, _ found: FreshnessNumbers, _ pageOne: PageOneCapture
    ) throws(SealedFileError) -> String? {
        if found.databaseID != recorded.databaseID { return "it is another database" }
        guard try recorded.isAuthentic(under: try ring.applicationKey()) else {
            return
                "the file has no application key under which the record's MAC is valid: "
                + "the file is old or forged, or the record was changed"
        }
        if found.epoch < recorded.epoch { return "its keys are from before a key rotation that the record knows" }
        if found.counter < recorded.counter { return "its freshness counter is lower than the recorded one" }
        if found.generation < recorded.generation { return "its header generation is lower than the recorded one" }
        let distance = recorded.serial &- found.serial
        if distance != 0, distance <= 1 << 31 { return "its page-1 serial is behind the recorded one" }
        guard distance == 0, found.epoch == recorded.epoch else { return nil }
        let prefix = FreshnessRecord.digestPrefix(
            databaseID: ring.databaseID, epoch: recorded.epoch, counter: recorded.counter, serial: recorded.serial)
        guard let digest = try ring.freshnessDigest(of: pageOne, prefix: prefix, epoch: recorded.epoch) else {
            throw .rotatedMeanwhile(path)
        }
        return constantTimeEqual(digest, recorded.digest)
            ? nil : "its page 1 has the recorded serial, but other content than the recorded one"
    }

    /// Throws `invalidArgument` if the record's path is that of the database itself, which writing a record would
    /// destroy.
    private func requireOtherFile(_ recordPath: String) throws(SealedFileError) {
        guard FilePermissions.isSameFile(path, recordPath) else { return }
        throw SealedFileError(
            .invalidArgument, "the freshness record needs a file of its own: \"\(recordPath)\" is the database itself")
    }
}

extension KeyRing {
    /// Computes the digest of a page 1, keyed with the page key of an epoch; nil if the header no longer holds that
    /// page key.
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
            ? "recorded: key epoch \(recorded.epoch), freshness counter \(recorded.counter), "
                + "header generation \(recorded.generation), page-1 serial \(recorded.serial); found: key epoch \(found.epoch), freshness counter \(found.counter), "
                + "header generation \(found.generation), page-1 serial \(found.serial)"
            : "recorded: database ID \(recorded.databaseID); found: database ID \(found.databaseID)"
        return SealedFileError(
            .rolledBack,
            "\"\(path)\" doesn't match its freshness record, and may have been replaced by an older file: \(reason) (\(numbers))",
            hint: MaintenanceRemedy.acceptRollback.hint)
    }

    static func rotatedMeanwhile(_ path: String) -> SealedFileError {
        SealedFileError(
            .busy, "the keys of \"\(path)\" were rotated while its freshness was checked or recorded", hint: "try again"
        )
    }
}

/// The handling of a freshness record, a file with the last known state of a database, when the database is opened.
public struct FreshnessPolicy: Sendable {
    /// The record's path. Don't keep it beside the database, where somebody who restores an old database can restore an
    /// old record too.
    public var recordPath: String
    /// A Boolean value that says whether a record is created if none exists. If false, a missing record is an error.
    public var makesFirstRecord: Bool
    /// A Boolean value that says whether a database that is older than its record, or doesn't match it for another
    /// reason, is opened too, as after a deliberate restore. A new record then replaces the old one.
    public var acceptsRollback: Bool

    /// Creates a policy for the record at a path. By default a missing record and a rollback are errors.
    public init(recordPath: String, makesFirstRecord: Bool = false, acceptsRollback: Bool = false) {
        self.recordPath = recordPath
        self.makesFirstRecord = makesFirstRecord
        self.acceptsRollback = acceptsRollback
    }
}

/// The result of comparing a database with its freshness record.
public enum FreshnessState: Sendable, Equatable {
    /// No record exists at the path, so the state is unknown.
    case noRecord
    /// The database has the recorded numbers or later ones.
    case fresh(recorded: FreshnessRecord, found: FreshnessNumbers)
    /// The database is older than the record, is another database, has another page 1 than the recorded one, or lacks
    /// the key under which the record's MAC is valid; `reason` says which.
    case rolledBack(recorded: FreshnessRecord, found: FreshnessNumbers, reason: String)
}
