/// A change or an error of a document in per-document sync, stored until it was delivered to the application
/// (Documentation/DocumentFormat.md §3.8).
package struct SyncEvent: Sendable, Equatable {
    /// The content of an event: a change of the document, or an error.
    package enum Content: Sendable, Equatable {
        /// The document changed. `isCommitted` says whether the remote has the change; a local change has an event when
        /// it is written, and another one when the remote has it. `before` and `after` are bodies in JSONB, nil if there
        /// was or is no document; for the second event, and for the result of a conflict, `before` is the remote's
        /// previous document.
        case change(SyncOperation, isCommitted: Bool, before: [UInt8]?, after: [UInt8]?)
        /// The document can't be synced, for the given reason.
        case failure(SyncPause)
    }

    /// The number of the event, unique among all events that the collection ever has.
    package var number: UInt64
    /// The document's id.
    package var documentID: String
    package var content: Content

    package init(number: UInt64, documentID: String, _ content: Content) {
        (self.number, self.documentID, self.content) = (number, documentID, content)
    }

    init(name: String, documentID: String, stored: [UInt8]) throws(DatabaseError) {
        // Events are read page by page, so each must have the name that sorts by its number.
        guard let number = UInt64(name, radix: 16), number < UInt64(Int64.max), Self.name(number) == name else {
            throw StateReader.damaged
        }
        var reader = StateReader(stored)
        guard try reader.byte() == 1 else { throw StateReader.damaged }
        let (kind, flags) = (try reader.byte(), try reader.byte())
        let content: Content
        if kind == 0 {
            content = .failure(SyncPause(code: try reader.text(), reason: try reader.text()))
        } else {
            guard let operation = SyncOperation(rawValue: kind) else { throw StateReader.damaged }
            let before = flags & 2 == 0 ? nil : try reader.block()
            let after = flags & 4 == 0 ? nil : try reader.block()
            content = .change(operation, isCommitted: flags & 1 != 0, before: before, after: after)
        }
        self.init(number: number, documentID: documentID, content)
    }

    /// The name under which the event is stored: its number in 16 hexadecimal digits, so that names sort in the order
    /// of the numbers.
    var name: String { Self.name(number) }

    static func name(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(16 - digits.count, 0)) + digits
    }

    var stored: [UInt8] {
        var writer = StateWriter()
        writer.byte(1)
        switch content {
        case .failure(let pause):
            writer.byte(0)
            writer.byte(0)
            writer.text(pause.code)
            writer.text(pause.reason)
        case .change(let operation, let isCommitted, let before, let after):
            writer.byte(operation.rawValue)
            writer.byte((isCommitted ? 1 : 0) | (before == nil ? 0 : 2) | (after == nil ? 0 : 4))
            if let before { writer.block(before) }
            if let after { writer.block(after) }
        }
        return writer.bytes
    }
}

/// A kind of change of a document in per-document sync.
package enum SyncOperation: UInt8, Sendable {
    case insert = 1
    case update = 2
    case replace = 3
    case delete = 4

    /// Returns the operation that an unsent change, if there is one, and a later change amount to; nil if they cancel
    /// each other out, which an insertion and a deletion do.
    package static func together(_ pending: SyncOperation?, _ new: SyncOperation) -> SyncOperation? {
        switch (pending, new) {
        case (.insert, .update), (.insert, .replace): .insert
        case (.insert, .delete): nil
        case (.delete, .insert): .replace
        default: new
        }
    }
}
