internal import GRDB
internal import SealiteRevisions

/// Creates the versions of the documents that one transaction changes, from the database's source id and its clock
/// (Documentation/DocumentFormat.md §4.3).
struct VersionStamp {
    /// The source id of the versions that this stamp creates.
    let source: SourceID
    /// The clock for the times of new versions, which issues none of the times that this database has issued.
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
        try self.clock.resume(in: connection, Self.clockName)
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

    /// Returns a new version of a document, whose time is later than those of all versions in the histories.
    ///
    /// - Throws: `unexpected` if the clock has reached its latest possible time.
    mutating func next(after histories: VersionHistory...) throws -> SourceVersion {
        // Peers' versions may be ahead of the clock.
        try next(after: histories.lazy.compactMap { $0.vector?.latestTime }.max())
    }

    /// Returns a new version, whose time is later than `floor`, if it isn't nil.
    ///
    /// - Throws: `unexpected` if the clock has reached its latest possible time.
    mutating func next(after floor: HybridTime?) throws -> SourceVersion {
        do throws(VersionError) {
            return SourceVersion(time: try clock.next(after: floor, at: now()), source: source)
        } catch {
            throw DatabaseError(.unexpected, error.description, hint: "set this computer's clock to the present time")
        }
    }

    /// Checks the times of all versions in a peer's version vector, and advances the clock past those that are at most a
    /// second ahead of the system's.
    ///
    /// - Throws: `badRevisionID` if a time is out of bounds, or more than two minutes ahead of the system's clock.
    mutating func observe(_ vector: VersionVector) throws {
        do throws(VersionError) {
            try clock.observe(vector, at: now())
        } catch {
            throw DatabaseError(.badRevisionID, error.description, underlying: error)
        }
    }

    /// Stores an upper bound of the clock's times and the times that are ahead of it in the database, unless what is
    /// stored suffices.
    mutating func store(in connection: GRDB.Database) throws {
        assert(connection.isInsideTransaction, "the clock is stored with the versions that it gave times to")
        guard let value = clock.valueToStore(at: now()) else { return }
        try Schema.setProperty(Self.clockName, value, in: connection)
    }
}

extension HybridClock {
    /// Continues after the clock that is stored in the database under a name.
    fileprivate mutating func resume(in connection: GRDB.Database, _ name: String) throws {
        let stored = try Schema.property(name, in: connection) ?? [UInt8](repeating: 0, count: 8)
        guard stored.count >= 8,
            resume(from: stored.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, ahead: stored.dropFirst(8))
        else { throw DatabaseError(.corruptData, "the stored clock for versions of documents is damaged") }
    }
}
