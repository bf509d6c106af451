internal import SealiteJSON

/// A change of a document, as a subscriber to the collection receives it: the document that the subscriber knew, and
/// the present one.
package struct DocumentTransition: Sendable {
    /// The state of a document before a change.
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
    /// A Boolean value that says whether the present document may differ from the one that the subscriber knows; false
    /// if both exist and have the same properties, or if neither exists.
    var isChange: Bool {
        switch (before, after) {
        case (.missing, nil): false
        case (.stored(let body), let after?): body != after.body
        default: true
        }
    }
}
