internal import GRDB
internal import Glibc
internal import SealiteCrypto
internal import SealiteFile
internal import SealiteRevisions
internal import Synchronization

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
        guard try FormatTables.property(placeName, in: connection) == place else {
            return try renewSource(place, in: connection)
        }
        guard let stored = try FormatTables.property(sourceName, in: connection), let source = SourceID(bytes: stored)
        else {
            throw DatabaseError(
                .corruptData, "the source id for new versions of documents is missing or damaged")
        }
        return source
    }

    /// Returns the stored source id; nil if it belongs to another file than the one whose digest is `place`
    /// (``FileFingerprint``).
    static func stored(_ place: [UInt8], in connection: GRDB.Database) throws -> SourceID? {
        guard try FormatTables.property(placeName, in: connection) == place else { return nil }
        return try FormatTables.property(sourceName, in: connection).flatMap { SourceID(bytes: $0) }
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
        try FormatTables.setProperty(sourceName, source.bytes, in: connection)
        if let place {
            try FormatTables.setProperty(placeName, place, in: connection)
        } else {
            try connection.run("DELETE FROM properties WHERE name = ?1", placeName)
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
        try FormatTables.setProperty(Self.clockName, value, in: connection)
    }
}

extension HybridClock {
    /// Continues after the clock that is stored in the database under a name.
    fileprivate mutating func resume(in connection: GRDB.Database, _ name: String) throws {
        let stored = try FormatTables.property(name, in: connection) ?? [UInt8](repeating: 0, count: 8)
        guard stored.count >= 8,
            resume(from: stored.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, ahead: stored.dropFirst(8))
        else { throw DatabaseError(.corruptData, "the stored clock for versions of documents is damaged") }
    }
}

/// The clock that assigns times to the versions of documents in an open database, kept from one transaction to the
/// next, and the origin of the source id with which the versions are written.
final class VersionClock: Sendable {
    private let clock = Mutex(HybridClock())
    private let now: @Sendable () -> UInt64
    private let origin = Mutex<Origin?>(nil)
    private let findPlace: @Sendable () -> [UInt8]?

    /// The origin of the source id of the versions that this process writes.
    enum Origin {
        /// The source id is stored in the database, and belongs to the file with this digest (``FileFingerprint``).
        case place([UInt8])
        /// The file's host, inode or birth time is unknown, so the file may be a copy: the process has a random source
        /// id of its own.
        case unplaced(SourceID)
    }

    /// Creates the version clock of a database.
    ///
    /// - Parameters:
    ///   - now: returns the system's time, in nanoseconds since 1970.
    ///   - findPlace: returns the digest of the file's host, inode and birth time (``FileFingerprint``); nil if it is
    ///     unknown.
    init(now: @escaping @Sendable () -> UInt64, findPlace: @escaping @Sendable () -> [UInt8]?) {
        (self.now, self.findPlace) = (now, findPlace)
    }

    /// Returns a stamp, which creates the versions of one transaction from the stored source id and the clock.
    func stamp(in connection: GRDB.Database) throws -> VersionStamp {
        let origin = try origin.withLock { known in
            let found = try known ?? findPlace().map(Origin.place) ?? .unplaced(SourceID.random())
            known = found
            return found
        }
        return try VersionStamp(clock.withLock { $0 }, now: now, origin, in: connection)
    }

    /// Stores the clock of a transaction that has ended, for the next one.
    func keep(_ clock: HybridClock) {
        self.clock.withLock { kept in
            assert(kept.last <= clock.last, "the clock never goes back")
            kept = clock
        }
    }
}

/// Identifies a file by its host, inode and birth time, which distinguish a copy from its original.
enum FileFingerprint {
    /// Returns a digest of the host, the file's inode and its birth time; nil if one of them is unknown.
    @Sendable static func digest(ofFileAt path: String) -> [UInt8]? {
        guard let birth = FileBirth(ofFileAt: path), let host = host(device: birth.device) else { return nil }
        let parts = [host, "\(birth.inode)", "\(birth.seconds).\(birth.nanoseconds)"]
        return try? SHA256.digest(of: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
    }

    /// Returns a text that identifies the host; nil if the system has none.
    ///
    /// Containers often have no `/etc/machine-id`. The random id of the system's start (`boot_id`) and the device
    /// together then distinguish two containers of one image, whose files have the same inode and birth.
    private static func host(device: UInt64) -> String? {
        if let machine = line(ofFileAt: "/etc/machine-id"), machine != "uninitialized" { return machine }
        return line(ofFileAt: "/proc/sys/kernel/random/boot_id").map { "\($0)/\(device)" }
    }

    /// Returns a file's first line, cut at 64 bytes; nil if the file can't be read or the line is empty.
    private static func line(ofFileAt path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        let line = bytes.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
