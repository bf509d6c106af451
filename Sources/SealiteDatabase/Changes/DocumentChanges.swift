internal import SealiteJSON

/// An asynchronous sequence of the changes of one document since the sequence was created, delivered as
/// ``CollectionChanges`` are.
public struct DocumentChanges: AsyncSequence, Sendable {
    /// A change of the document.
    public typealias Element = DocumentChange

    let registration: FeedRegistration
    let id: String
    let start: Result<Int64?, any Error>

    init(_ collection: Collection, _ id: String) {
        registration = FeedRegistration(collection, namesPurges: false)
        self.id = id
        start = Result { try collection.database.reading { try collection.sequence(of: id, $0) } }
    }

    /// Returns an iterator that starts with the first change after the asynchronous sequence was created.
    public func makeAsyncIterator() -> Iterator { Iterator(registration: registration, id: id, start: start) }

    /// An iterator over the changes of the document; several changes since the previous element are one element.
    public struct Iterator: AsyncIteratorProtocol {
        let registration: FeedRegistration
        let id: String
        var start: Result<Int64?, any Error>

        /// Waits for a change of the document and returns it; nil if the sequence has ended.
        public mutating func next() async throws -> DocumentChange? {
            let known = try start.get()
            let (collection, id) = (registration.collection, id)
            while await registration.subscription.wait() {
                registration.subscription.willLook()
                let found: Int64?
                do {
                    found = try await collection.database.readers.read {
                        try collection.sequence(of: id, $0)
                    }
                } catch let error as DatabaseError where error.code == .notOpen || error.code == .cancelled {
                    return nil
                }
                guard found != known else { continue }
                start = .success(found)
                return DocumentChange(collection: collection, documentID: id)
            }
            return nil
        }
    }
}
