public import FoundationEssentials

extension WriteTransaction {
    /// Sets the time at which a document is purged automatically, with a precision of milliseconds; nil for never.
    ///
    /// - Throws: `notFound` if there is neither such a document nor its tombstone.
    public func setExpiration(_ expiration: Date?, id: String, in collection: Collection) throws {
        try check(collection)
        try collection.setExpiration(id, expiration, transaction)
    }
}
