public import SealiteValues

/// The options of `updateOne`, `updateMany` and `replaceOne`.
public struct UpdateOptions: Sendable {
    /// The filters for items of arrays, to which `$[name]` in paths of the update refers.
    public var arrayFilters: [MongoDocument]
    /// A Boolean value that says whether a document is inserted if none fulfils the filter. The default is false.
    public var upsert: Bool
    /// The sort order that determines which matching document is the first one, for updates of one document; empty for
    /// the natural order. Not allowed for `updateMany`.
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
