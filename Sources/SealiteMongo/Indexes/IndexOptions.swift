public import SealiteValues

/// The options of an index, with the names of MongoDB's Swift driver.
public struct IndexOptions: Sendable, Hashable {
    /// The index's name; nil derives it from the paths and directions, joined by `_`, such as `age_1_name_-1`.
    public var name: String?
    /// A Boolean value that says whether a write is refused if another document has the same values at the index's
    /// paths; a missing value counts as null. Documents that sync receives are never refused.
    public var unique: Bool
    /// A Boolean value that says whether documents without a value at any of the paths have no entry in the index and
    /// aren't checked for uniqueness.
    public var sparse: Bool
    /// A filter for the documents to which `unique` applies; nil for all documents.
    public var partialFilterExpression: MongoDocument?
    /// The number of seconds after which the expiration timer deletes a document, counted from the date at the index's
    /// only path, or from the earliest date if an array is at the path. Nil for an index without expiration.
    public var expireAfterSeconds: Int?

    /// Creates options.
    public init(
        name: String? = nil, unique: Bool = false, sparse: Bool = false,
        partialFilterExpression: MongoDocument? = nil, expireAfterSeconds: Int? = nil
    ) {
        self.name = name
        self.unique = unique
        self.sparse = sparse
        self.partialFilterExpression = partialFilterExpression
        self.expireAfterSeconds = expireAfterSeconds
    }
}

extension BSON {
    var isNegativeNumber: Bool { type.isNumber && compared(to: .int32(0)) < 0 }

    var isDirection: Bool { type.isNumber && compared(to: .int32(0)) != 0 }
}
