/// A document that is about to be saved, as a check of a guard receives it.
package struct DocumentSave {
    /// The document's id.
    package let id: String
    /// The collection of the document.
    package let collection: Collection
    /// The new body in JSONB. A check that replaces it must set valid JSONB that isn't nested deeper than a document
    /// may be.
    package var body: [UInt8]
    let transaction: Transaction

    init(id: String, body: [UInt8], in collection: Collection, _ transaction: Transaction) {
        (self.id, self.body, self.collection, self.transaction) = (id, body, collection, transaction)
    }
}
