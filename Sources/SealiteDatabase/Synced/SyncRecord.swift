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
