internal import SealiteJSON

/// A change of a document: the state that the subscriber knew, and the present state.
package struct DocumentTransition: Sendable {
    /// The document before the change.
    package enum Before: Sendable {
        /// There was no document.
        case missing
        /// A document with these properties, in JSONB.
        case stored([UInt8])
        /// The earlier state isn't known, because another process changed the document or there were too many changes.
        case unknown
    }

    /// The document's id.
    package let id: String
    /// The document as the subscriber knows it: as it was last delivered, or as it was when the subscription began.
    package let before: Before
    /// The present document; nil if it was deleted or purged.
    package let after: Document?
    /// A Boolean value that says whether a change after `before` replaced the whole document by another one.
    package let isReplaced: Bool
}

extension DocumentTransition {
    /// A Boolean value that says whether the document differs from the state that the subscriber knows.
    var isChange: Bool {
        guard case .stored(let body) = before, let after else { return true }
        return body != after.body
    }
}
