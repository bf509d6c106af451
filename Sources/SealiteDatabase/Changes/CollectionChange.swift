internal import SealiteJSON

/// A set of changed documents of a collection, each document once.
public struct CollectionChange: Sendable {
    /// The collection that contains, or contained, the changed documents.
    public let collection: Collection
    /// The ids of the documents that were saved, deleted or purged since the previous element of the sequence.
    public let documentIDs: [String]
    /// The ids of purged documents among `documentIDs`, also of documents that were saved again since.
    public let purgedDocumentIDs: [String]
    /// A Boolean value that says whether documents were purged that `documentIDs` doesn't name, because another process
    /// purged them or because they were too many.
    public let hasUnnamedPurges: Bool
}
