public import SealiteValues

/// The options of `insertMany` and `bulkWrite`.
public struct InsertManyOptions: Sendable {
    /// True if the first error ends the call; else the others are written all the same. Default true.
    public var ordered: Bool
    /// True if nothing is stored if one fails. Default false: what came before an error stays.
    public var atomic: Bool

    /// Options.
    public init(ordered: Bool = true, atomic: Bool = false) { (self.ordered, self.atomic) = (ordered, atomic) }
}

/// The options of `bulkWrite`.
public struct BulkWriteOptions: Sendable {
    /// True if the first error ends the call; else the others are written all the same. Default true.
    public var ordered: Bool
    /// True if nothing is stored if one fails. Default false: what came before an error stays.
    public var atomic: Bool
    /// The variables that expressions see as `$$name`.
    public var `let`: MongoDocument

    /// Options.
    public init(ordered: Bool = true, atomic: Bool = false, `let` variables: MongoDocument = [:]) {
        (self.ordered, self.atomic, self.let) = (ordered, atomic, variables)
    }
}

/// The options of `updateOne`, `updateMany` and `replaceOne`.
public struct UpdateOptions: Sendable {
    /// The filters that `$[name]` in paths stands for.
    public var arrayFilters: [MongoDocument]
    /// True if a document is inserted if none fulfils the filter. Default false.
    public var upsert: Bool
    /// The order in which the document is the first one; for one document alone.
    public var sort: MongoDocument
    /// The variables that expressions see as `$$name`.
    public var `let`: MongoDocument

    /// Options.
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
    /// The variables that expressions see as `$$name`.
    public var `let`: MongoDocument

    /// Options.
    public init(`let` variables: MongoDocument = [:]) { self.let = variables }
}

/// The document that `findOneAndUpdate` and `findOneAndReplace` return.
public enum ReturnDocument: Sendable, Hashable {
    /// The document as it was.
    case before
    /// The document as it has become.
    case after
}

/// The options of `findOneAndUpdate` and `findOneAndReplace`.
public struct FindOneAndUpdateOptions: Sendable {
    /// The filters that `$[name]` in paths stands for.
    public var arrayFilters: [MongoDocument]
    /// The members of the document to return; empty for all.
    public var projection: MongoDocument
    /// The document to return. Default the one before the update.
    public var returnDocument: ReturnDocument
    /// The order in which the document is the first one.
    public var sort: MongoDocument
    /// True if a document is inserted if none fulfils the filter. Default false.
    public var upsert: Bool
    /// The variables that expressions see as `$$name`.
    public var `let`: MongoDocument

    /// Options.
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
    /// The members of the document to return; empty for all.
    public var projection: MongoDocument
    /// The order in which the document is the first one.
    public var sort: MongoDocument
    /// The variables that expressions see as `$$name`.
    public var `let`: MongoDocument

    /// Options.
    public init(projection: MongoDocument = [:], sort: MongoDocument = [:], `let` variables: MongoDocument = [:]) {
        (self.projection, self.sort, self.let) = (projection, sort, variables)
    }
}
