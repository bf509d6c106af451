/// A document that was replicated, or could not be.
package struct DocumentEvent: Sendable, Equatable {
    /// The collection's index in the session.
    package var collection: Int
    package var documentID: String
    package var isPush: Bool
    package var isDeleted = false
    /// A Boolean value that says whether access to the document was lost.
    package var isAccessRemoved = false
    /// The error because of which the document couldn't be replicated, `conflict` if a conflict waits for its
    /// resolution; nil if the document was replicated.
    package var error: SessionError?
    /// The reason why a delta of the document was refused, so that the whole document follows; then the event says
    /// nothing else.
    package var deltaRefusal: String?
}

extension DocumentEvent {
    package init(collection: Int, documentID: String, isPush: Bool) {
        self.init(collection: collection, documentID: documentID, isPush: isPush, isDeleted: false)
    }
}
