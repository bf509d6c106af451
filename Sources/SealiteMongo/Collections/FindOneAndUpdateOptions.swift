public import SealiteValues

/// The options of `findOneAndUpdate` and `findOneAndReplace`.
public struct FindOneAndUpdateOptions: Sendable {
    /// The filters for items of arrays, to which `$[name]` in paths of the update refers.
    public var arrayFilters: [MongoDocument]
    /// The projection of the returned document; empty for the whole document.
    public var projection: MongoDocument
    /// The state of the changed document that is returned. The default is the state before the update.
    public var returnDocument: ReturnDocument
    /// The sort order that determines which matching document is the first one; empty for the natural order.
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
