internal import GRDB
internal import SealiteRevisions

/// Creates the versions of the documents that one transaction changes, from the database's source id and its clock
/// (Documentation/DocumentFormat.md §4.3).
struct VersionStamp {
    /// The source id of the versions that this stamp creates.
    let source: SourceID
    /// The clock for the times of new versions, which has passed every time that this database has issued.
    var clock: HybridClock
    private let now: @Sendable () -> UInt64

    private static let (sourceName, clockName, placeName) = ("source", "clock", "sourcePlace")

    /// Reads the stored source id and clock, in a write transaction. The database gets a new source id if the file is a
    /// copy, or was moved to another file system or host, because the stored one belongs to another file.
    ///
    /// - Throws: `corruptData` if the stored source id or clock is damaged.
    init(
        _ clock: HybridClock, now: @escaping @Sendable () -> UInt64, _ origin: VersionClock.Origin,
        in connection: GRDB.Database
    ) throws {
        self.now = now
        self.clock = clock
        self.clock.resume(from: try Self.storedClock(in: connection))
        switch origin {
        case .unplaced(let own): source = own
        case .place(let place): source = try Self.source(of: place, in: connection)
        }
    }

    private static func source(of place: [UInt8], in connection: GRDB.Database) throws -> SourceID {
        guard try Schema.property(placeName, in: connection) == place else {
            return try renewSource(place, in: connection)
        }
        guard let stored = try Schema.property(sourceName, in: connection), let source = SourceID(bytes: stored)
        else {
            throw DatabaseError(
                .corruptData, "the source id for new versions of documents is missing or damaged")
        }
        return source
    }

    /// Returns the stored source id; nil if it belongs to another file than the one whose digest is `place`
    /// (``FileFingerprint``).
    static func stored(_ place: [UInt8], in connection: GRDB.Database) throws -> SourceID? {
        guard try Schema.property(placeName, in: connection) == place else { return nil }
        return try Schema.property(sourceName, in: connection).flatMap { SourceID(bytes: $0) }
    }

    private static func storedClock(in connection: GRDB.Database) throws -> UInt64 {
        guard let stored = try Schema.property(clockName, in: connection) else { return 0 }
        guard stored.count == 8 else {
            throw DatabaseError(.corruptData, "the stored clock for versions of documents is damaged")
        }
        return stored.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Changes the database's versioning to version vectors, with a new source id for the file whose digest is `place`
    /// (``FileFingerprint``).
    static func setVectors(place: [UInt8]?, in connection: GRDB.Database) throws {
        try connection.execute(
            sql: "INSERT OR REPLACE INTO properties (name, value) VALUES ('versioning', 'vectors')")
        try renewSource(place, in: connection)
    }

    /// Stores a new source id for the file whose digest is `place` (``FileFingerprint``), and returns it. If `place` is
    /// nil, no version will be written with this source id.
    @discardableResult
    static func renewSource(_ place: [UInt8]?, in connection: GRDB.Database) throws -> SourceID {
        let source = try SourceID.random()
        try Schema.setProperty(sourceName, source.bytes, in: connection)
        if let place {
            try Schema.setProperty(placeName, place, in: connection)
        } else {
            try connection.execute(sql: "DELETE FROM properties WHERE name = ?", arguments: [placeName])
        }
        return source
    }

    /// Returns a new version of a document, whose time is later than those of all versions of this source in the
    /// histories.
    ///
    /// - Throws: `unexpected` if the clock has reached its latest possible time.
    mutating func next(after histories: VersionHistory...) throws -> SourceVersion {
        // The histories may have later versions of this source than the stored clock: for example if the file was
        // restored from a backup.
        for history in histories {
            if let time = history.vector?.time(of: source) { clock.advance(to: time) }
        }
        do throws(VersionError) {
            return SourceVersion(time: try clock.next(at: now()), source: source)
        } catch {
            throw DatabaseError(.unexpected, error.description, hint: "set this computer's clock to the present time")
        }
    }

    /// Advances the clock past the times of all versions in a peer's version vector.
    ///
    /// - Throws: `badRevisionID` if a time is out of bounds, or more than two minutes ahead of the system's clock.
    mutating func observe(_ vector: VersionVector) throws {
        do throws(VersionError) {
            try clock.observe(vector, at: now())
        } catch {
            throw DatabaseError(.badRevisionID, error.description, underlying: error)
        }
    }

    /// Stores an upper bound of the clock's times in the database, if the clock has passed the bound that is stored.
    mutating func store(in connection: GRDB.Database) throws {
        guard let bound = clock.boundToStore(at: now()) else { return }
        let bytes = stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: bound >> $0) }
        try Schema.setProperty(Self.clockName, bytes, in: connection)
    }
}
