internal import SealiteValues

/// The command `findAndModify`.
enum FindAndModifyCommand {
    private static let names: Set<String> = [
        "findAndModify", "findandmodify", "query", "sort", "remove", "update", "new", "fields", "upsert",
        "arrayFilters", "bypassDocumentValidation",
    ]

    @Sendable
    static func run(_ command: MongoDocument, _ store: any DocumentStore) throws -> MongoDocument {
        let fields = try CommandFields(command, at: "findAndModify", names.union(Command.commonNames))
        let context = try fields.context()
        let isRemoval = try fields.bool("remove")
        let statement = try FindAndModifyStatement(
            fields.document("query"), isRemoval ? removal(fields) : update(fields, context),
            sort: fields.document("sort"), projection: fields.document("fields"), context: context)
        let outcome = try store.nested { try statement.run(store) }
        var last: MongoDocument = ["n": BSON(outcome.wasFound || outcome.upsertedID != nil ? 1 : 0)]
        if !isRemoval { last["updatedExisting"] = .bool(outcome.wasFound) }
        if let id = outcome.upsertedID { last["upserted"] = id }
        return ["lastErrorObject": .document(last), "value": outcome.value.map { .document($0) } ?? .null]
    }

    private static func removal(_ fields: CommandFields) throws -> FindAndModifyStatement.Action {
        guard fields["update"] == nil else {
            throw MongoError.failedToParse("The command takes an 'update' or 'remove', not both.")
        }
        guard try !fields.bool("upsert") else {
            throw MongoError.failedToParse("The command takes 'upsert' or 'remove', not both.")
        }
        guard try !fields.bool("new") else {
            throw MongoError.failedToParse(
                "With 'remove' the command returns the removed document, so that it can't have 'new'.")
        }
        return .remove
    }

    private static func update(
        _ fields: CommandFields, _ context: FilterContext
    ) throws -> FindAndModifyStatement.Action {
        guard let operand = fields["update"] else {
            throw MongoError.failedToParse("The command needs an 'update' or 'remove'.")
        }
        let update = try Update(parsing: operand, arrayFilters: fields.array("arrayFilters"), context: context)
        return .update(update, isUpsert: try fields.bool("upsert"), returnsNew: try fields.bool("new"))
    }
}
