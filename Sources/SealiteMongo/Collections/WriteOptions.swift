public import SealiteValues

/// The options of `insertMany` and `bulkWrite`.
public struct InsertManyOptions: Sendable {
    /// A Boolean value that says whether the first error ends the call; otherwise the remaining documents are still
    /// written. The default is true.
    public var ordered: Bool
    /// A Boolean value that says whether nothing is stored if a write fails. The default is false: the writes before an
    /// error stay.
    public var atomic: Bool

    /// Creates options.
    public init(ordered: Bool = true, atomic: Bool = false) { (self.ordered, self.atomic) = (ordered, atomic) }
}

/// The options of `bulkWrite`.
public struct BulkWriteOptions: Sendable {
    /// A Boolean value that says whether the first error ends the call; otherwise the remaining writes are still made.
    /// The default is true.
    public var ordered: Bool
    /// A Boolean value that says whether nothing is stored if a write fails. The default is false: the writes before an
    /// error stay.
    public var atomic: Bool
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(ordered: Bool = true, atomic: Bool = false, `let` variables: MongoDocument = [:]) {
        (self.ordered, self.atomic, self.let) = (ordered, atomic, variables)
    }
}

/// The options of `updateOne`, `updateMany` and `replaceOne`.
public struct UpdateOptions: Sendable {
    /// The filters to which `$[name]` in paths refers.
    public var arrayFilters: [MongoDocument]
    /// A Boolean value that says whether a document is inserted if none fulfils the filter. The default is false.
    public var upsert: Bool
    /// The order by which the first document is chosen, for updates of one document.
    public var sort: MongoDocument
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(
        arrayFilters: [MongoDocument] = [], upsert: Bool = false, sort: MongoDocument = [:],
        `let` variables: MongoDocument = [:]
    ) {
        (self.arrayFilters, self.upsert, self.sort, self.let) = (arrayFilters, upsert, sort, variables)
    }

    func statement(_ filter: MongoDocument, _ update: BSON, isMany: Bool) throws -> UpdateStatement {
        try UpdateStatement(
            filter, update, isMany: isMany, isUpsert: upsert, arrayFilters: arrayFilters.map { .document($0) },
            sort: sort, context: FilterContext(variables: self.let))
    }
}

/// The options of `deleteOne` and `deleteMany`.
public struct DeleteOptions: Sendable {
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(`let` variables: MongoDocument = [:]) { self.let = variables }
}

/// The document that `findOneAndUpdate` and `findOneAndReplace` return.
public enum ReturnDocument: Sendable, Hashable {
    /// The document before the change.
    case before
    /// The document after the change.
    case after
}

/// The options of `findOneAndUpdate` and `findOneAndReplace`.
public struct FindOneAndUpdateOptions: Sendable {
    /// The filters to which `$[name]` in paths refers.
    public var arrayFilters: [MongoDocument]
    /// The projection of the returned document; empty for the whole document.
    public var projection: MongoDocument
    /// The document to return. The default is the document before the update.
    public var returnDocument: ReturnDocument
    /// The order by which the first document is chosen.
    public var sort: MongoDocument
    /// A Boolean value that says whether a document is inserted if none fulfils the filter. The default is false.
    public var upsert: Bool
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(
        arrayFilters: [MongoDocument] = [], projection: MongoDocument = [:], returnDocument: ReturnDocument = .before,
        sort: MongoDocument = [:], upsert: Bool = false, `let` variables: MongoDocument = [:]
    ) {
        (self.arrayFilters, self.projection, self.returnDocument) = (arrayFilters, projection, returnDocument)
        (self.sort, self.upsert, self.let) = (sort, upsert, variables)
    }

    func statement(_ filter: MongoDocument, _ update: BSON) throws -> FindAndModifyStatement {
        let context = FilterContext(variables: self.let)
        let update = try Update(parsing: update, arrayFilters: arrayFilters.map { .document($0) }, context: context)
        let action = FindAndModifyStatement.Action.update(
            update, isUpsert: upsert, returnsNew: returnDocument == .after)
        return try FindAndModifyStatement(filter, action, sort: sort, projection: projection, context: context)
    }
}

/// The options of `findOneAndDelete`.
public struct FindOneAndDeleteOptions: Sendable {
    /// The projection of the returned document; empty for the whole document.
    public var projection: MongoDocument
    /// The order by which the first document is chosen.
    public var sort: MongoDocument
    /// The variables that expressions refer to as `$$name`.
    public var `let`: MongoDocument

    /// Creates options.
    public init(projection: MongoDocument = [:], sort: MongoDocument = [:], `let` variables: MongoDocument = [:]) {
        (self.projection, self.sort, self.let) = (projection, sort, variables)
    }
}
