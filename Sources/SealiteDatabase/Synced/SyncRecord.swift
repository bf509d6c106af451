internal import SealiteJSON

/// The stored state of one document in per-document sync (Documentation/DocumentFormat.md §3.8).
package struct SyncRecord: Sendable, Equatable {
    /// The local change that the remote doesn't have yet; nil if the remote has all changes.
    package var pending: SyncOperation?
    /// The properties that the document has at the remote, in JSONB, while a local change is pending; nil if no change
    /// is pending, or if the remote has no such document.
    package var base: [UInt8]?
    /// The value of ``SyncSpace/sessions`` when the pending insertion was made, which shows whether a session with the
    /// remote was open since; 0 before the first insertion.
    package var insertedAt: UInt64 = 0
    /// The reason for which the sync of the document is paused; nil if it isn't paused.
    package var pause: SyncPause?
    /// The count of lookups (``SyncSpace/lookups``) at which the document became stale: a later lookup compares it with
    /// the remote. Nil if the document isn't stale.
    package var staleAt: UInt64?
    /// The version that the remote's document has in the member `__stitch_sync_version`, which MongoDB Stitch has
    /// added; nil if it has no such member.
    package var version: SyncVersion?

    /// A Boolean value that says whether the document is sent and received: it isn't paused, or is paused because the
    /// remote's document couldn't be stored.
    package var isSelected: Bool { pause?.isOfRemoteDocument ?? true }

    package init() {}

    init(_ stored: [UInt8]) throws(DatabaseError) {
        var reader = StateReader(stored)
        guard try reader.byte() == 1 else { throw StateReader.damaged }
        let (operation, flags) = (try reader.byte(), try reader.byte())
        pending = SyncOperation(rawValue: operation)
        guard pending != nil || operation == 0 else { throw StateReader.damaged }
        insertedAt = try reader.number()
        if flags & 1 != 0 { staleAt = try reader.number() }
        if flags & 2 != 0 { pause = SyncPause(code: try reader.text(), reason: try reader.text()) }
        if flags & 4 != 0 {
            version = SyncVersion(id: try reader.text(), number: Int64(clamping: try reader.number()))
        }
        if flags & 8 != 0 { base = try reader.block() }
    }

    var stored: [UInt8] {
        var writer = StateWriter()
        writer.byte(1)
        writer.byte(pending?.rawValue ?? 0)
        writer.byte(
            (staleAt == nil ? 0 : 1) | (pause == nil ? 0 : 2) | (version == nil ? 0 : 4) | (base == nil ? 0 : 8))
        writer.number(insertedAt)
        if let staleAt { writer.number(staleAt) }
        if let pause {
            writer.text(pause.code)
            writer.text(pause.reason)
        }
        if let version {
            writer.text(version.id)
            writer.number(UInt64(clamping: version.number))
        }
        if let base { writer.block(base) }
        return writer.bytes
    }
}

/// The reason for which the sync of a document is paused, or for which the document is no longer synced.
package struct SyncPause: Sendable, Hashable {
    /// The code of the error, by which the application distinguishes errors.
    package var code: String
    /// The reason, in one line without content of documents.
    package var reason: String

    package init(code: String, reason: String) { (self.code, self.reason) = (code, reason) }

    /// The code of a pause because the remote's document couldn't be stored.
    package static let notStored = "notStored"
    /// The code of a pause because the remote's document couldn't be stored for a reason that time can cure, such as a
    /// wrong clock or a full disk.
    package static let notStoredYet = "notStoredYet"

    /// A Boolean value that says whether the remote's document couldn't be stored. The document is then still selected:
    /// a later revision of the remote ends the pause, and lookups ask for the document again.
    package var isOfRemoteDocument: Bool { code == Self.notStored || code == Self.notStoredYet }
}

/// The version that MongoDB Stitch has given to a document, in the member `__stitch_sync_version`.
package struct SyncVersion: Sendable, Hashable {
    /// The id of the Stitch instance that wrote the document first.
    package var id: String
    /// The counter of the version, which each write increments.
    package var number: Int64

    package init(id: String, number: Int64) { (self.id, self.number) = (id, number) }

    /// The version after this one.
    package var next: SyncVersion { SyncVersion(id: id, number: min(number, .max - 1) + 1) }
}

/// Finds, removes and adds one top-level member of a document body.
package enum MemberJSON {
    /// Splits a body in JSON text into one member and the rest.
    ///
    /// - Returns: the body without the member, in JSON text, and an object with the member alone, in JSONB; nil if the
    ///   body has no such member.
    /// - Throws: `invalidJSON`.
    package static func take(_ name: String, from json: [UInt8]) throws -> (rest: [UInt8], member: [UInt8])? {
        // The text may have the name with escapes.
        guard json.contains(UInt8(ascii: "\\")) || contains(Array(name.utf8), in: json) else { return nil }
        let body = try JSONParser.parse(json)
        guard JSONBEdit.find([.member(name)], in: body) != nil,
            let rest = JSONBEdit.remove(at: [.member(name)], in: body)
        else { return nil }
        var member = body
        for key in DictionaryObject(jsonb: rest)?.keys ?? [] where key != name {
            member = JSONBEdit.remove(at: [.member(key)], in: member) ?? member
        }
        return (try JSONSerializer.text(of: rest), member)
    }

    /// Returns a stored body, in JSONB, without one member; nil if the body has no such member.
    package static func removed(_ name: String, from body: [UInt8]) -> [UInt8]? {
        guard contains(Array(name.utf8), in: body), JSONBEdit.find([.member(name)], in: body) != nil else { return nil }
        return JSONBEdit.remove(at: [.member(name)], in: body)
    }

    /// Returns a body in JSON text with an added member, whose value is JSON text, too. The body must not have the
    /// member.
    package static func adding(_ name: String, _ value: String, to json: [UInt8]) -> [UInt8] {
        guard let end = json.lastIndex(of: UInt8(ascii: "}")) else { return json }
        let isEmpty = json[..<end].last { $0 > 0x20 } == UInt8(ascii: "{")
        return Array(json[..<end]) + Array("\(isEmpty ? "" : ",")\"\(name)\":\(value)}".utf8)
    }

    private static func contains(_ word: [UInt8], in bytes: [UInt8]) -> Bool {
        guard let first = word.first, bytes.count >= word.count else { return false }
        for start in 0...(bytes.count - word.count) where bytes[start] == first {
            if bytes[start..<start + word.count].elementsEqual(word) { return true }
        }
        return false
    }
}

/// Reads the fields of a stored `SyncSpace`, `SyncRecord` or `SyncEvent`, whose bytes may be truncated or invalid.
struct StateReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func byte() throws(DatabaseError) -> UInt8 {
        guard position < bytes.count else { throw Self.damaged }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func number() throws(DatabaseError) -> UInt64 {
        var next = position
        guard let number = Varint.read(bytes.span, &next, limit: bytes.count) else { throw Self.damaged }
        position = next
        return number
    }

    /// Reads a length, and returns that many of the bytes that follow it.
    mutating func block() throws(DatabaseError) -> [UInt8] {
        let length = try number()
        guard length <= UInt64(bytes.count - position) else { throw Self.damaged }
        defer { position += Int(length) }
        return Array(bytes[position..<position + Int(length)])
    }

    mutating func text() throws(DatabaseError) -> String { String(decoding: try block(), as: UTF8.self) }

    static var damaged: DatabaseError {
        DatabaseError(.corruptData, "the stored sync state of a document, or of its collection, is damaged")
    }
}

/// Writes the fields of a stored `SyncSpace`, `SyncRecord` or `SyncEvent`.
struct StateWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    mutating func number(_ number: UInt64) { Varint.append(number, to: &bytes) }

    /// Writes the length of some bytes, and the bytes.
    mutating func block(_ block: [UInt8]) {
        number(UInt64(block.count))
        bytes += block
    }

    mutating func text(_ text: String) { block(Array(text.utf8)) }
}

/// The state of per-document sync that is stored once for a collection, in addition to a record for each document
/// (Documentation/DocumentFormat.md §3.8, "The space").
package struct SyncSpace: Sendable, Equatable {
    /// The number of the remote that the documents are synced with; nil until one is known.
    package var remote: Int?
    /// Counts the beginnings and the ends of sessions with the remote: odd while a session is open, and after a session
    /// that a crash ended.
    package var sessions: UInt64 = 0
    /// Counts the lookups that have begun, in which stale documents are compared with the remote.
    package var lookups: UInt64 = 0
    /// The number that the next stored event gets.
    package var nextEvent: UInt64 = 1
    /// The number of the first event that is still stored; the events before it were delivered and removed.
    package var firstEvent: UInt64 = 1
    /// A Boolean value that says whether the collection may have documents that aren't synced.
    package var hasOthers = false
    /// A Boolean value that says whether all synced documents, except stale ones, were compared with the remote up to
    /// the checkpoint of the replication.
    package var isCaughtUp = false
    /// A Boolean value that says whether any synced document may be stale, which means that its revision at the remote
    /// has to be looked up.
    package var mayBeStale = false
    /// A Boolean value that says whether changes are stored as events until they are delivered. Errors are always
    /// stored.
    package var keepsChanges = true

    /// The name of the store, among the local values, that has the ``SyncSpace`` of each collection, under the
    /// collection's number.
    static let store = FormatTables.syncSpaceStore
    /// The maximum number of stored events of a collection. While as many are stored, further changes and errors
    /// produce no event.
    static let eventLimit: UInt64 = 100_000

    init() {}

    init(_ stored: [UInt8]) throws(DatabaseError) {
        var reader = StateReader(stored)
        guard try reader.byte() == 1 else { throw StateReader.damaged }
        let flags = try reader.byte()
        (hasOthers, isCaughtUp, keepsChanges) = (flags & 1 != 0, flags & 2 != 0, flags & 4 == 0)
        mayBeStale = flags & 8 == 0
        let number = try reader.number()
        remote = number == 0 ? nil : Int(clamping: number)
        (sessions, lookups) = (try reader.number(), try reader.number())
        (nextEvent, firstEvent) = (try reader.number(), try reader.number())
        guard firstEvent <= nextEvent, nextEvent < UInt64(Int64.max), sessions < UInt64(Int64.max),
            lookups < UInt64(Int64.max)
        else {
            throw StateReader.damaged
        }
    }

    var stored: [UInt8] {
        var writer = StateWriter()
        writer.byte(1)
        writer.byte((hasOthers ? 1 : 0) | (isCaughtUp ? 2 : 0) | (keepsChanges ? 0 : 4) | (mayBeStale ? 0 : 8))
        writer.number(UInt64(clamping: remote ?? 0))
        for number in [sessions, lookups, nextEvent, firstEvent] { writer.number(number) }
        return writer.bytes
    }
}
