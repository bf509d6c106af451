extension Collection {
    /// Stores the large blobs of a document that is about to be saved, before the transaction that saves the document.
    func storeBlobs(of document: MutableDocument) throws {
        let blobs = document.editedBlobs
        guard !blobs.isEmpty else { return }
        try database.storeLargeBlobs(blobs)
    }

    /// The asynchronous form of ``storeBlobs(of:)``, which doesn't block the calling task's thread.
    func storeBlobs(of document: MutableDocument) async throws {
        try await database.storeLargeBlobs(document.editedBlobs)
    }
}
