internal import SealiteValues

/// The commands that consist of several writes: `insert`, `update` and `delete`.
enum WriteCommands {
    private static let commonNames = Command.commonNames.union(["ordered", "bypassDocumentValidation"])

    @Sendable
    static func insert(_ command: MongoDocument, _ store: any DocumentStore) throws -> MongoDocument {
        let names = commonNames.union(["insert", "documents"])
        let fields = try CommandFields(command, at: "insert", names, required: ["documents"])
        var count = 0
        let errors = try run(fields.documents("documents"), fields, store) { _, document in
            try InsertStatement(document).run(store)
            count += 1
        }
        return reply(["n": BSON(count)], errors)
    }

    @Sendable
    static func update(_ command: MongoDocument, _ store: any DocumentStore) throws -> MongoDocument {
        let names = commonNames.union(["update", "updates"])
        let fields = try CommandFields(command, at: "update", names, required: ["updates"])
        let context = try fields.context()
        let parts = try fields.documents("updates").map { try UpdatePart($0) }
        var (matched, modified, upserted) = (0, 0, [BSON]())
        let errors = try run(parts, fields, store) { index, part in
            let outcome = try part.statement(context).run(store)
            matched += outcome.matchedCount
            modified += outcome.modifiedCount
            guard let id = outcome.upsertedID else { return }
            matched += 1
            upserted.append(["index": BSON(index), "_id": id])
        }
        var result: MongoDocument = ["n": BSON(matched), "nModified": BSON(modified)]
        if !upserted.isEmpty { result["upserted"] = .array(upserted) }
        return reply(result, errors)
    }

    @Sendable
    static func delete(_ command: MongoDocument, _ store: any DocumentStore) throws -> MongoDocument {
        let names = commonNames.union(["delete", "deletes"])
        let fields = try CommandFields(command, at: "delete", names, required: ["deletes"])
        let context = try fields.context()
        let parts = try fields.documents("deletes").map { try DeletePart($0) }
        var count = 0
        let errors = try run(parts, fields, store) { _, part in
            count += try DeleteStatement(part.query, isMany: part.isMany, context: context).run(store)
        }
        return reply(["n": BSON(count)], errors)
    }

    // MARK: - Statements

    /// Runs the writes of a command one after another. If the command is `ordered`, which is the default, the first one
    /// that fails ends it.
    ///
    /// - Returns: the errors as documents, each with the index of its write from 0.
    private static func run<Statement>(
        _ statements: [Statement], _ fields: CommandFields, _ store: any DocumentStore,
        _ body: (Int, Statement) throws -> Void
    ) throws -> [BSON] {
        let isOrdered = try fields.bool("ordered", true)
        var errors: [BSON] = []
        for (index, statement) in statements.enumerated() {
            do {
                try store.nested { try body(index, statement) }
            } catch let error as MongoError {
                errors.append(["index": BSON(index), "code": BSON(error.code), "errmsg": .string(error.message)])
                if isOrdered { break }
            }
        }
        return errors
    }

    private static func reply(_ result: MongoDocument, _ errors: [BSON]) -> MongoDocument {
        var result = result
        if !errors.isEmpty { result["writeErrors"] = .array(errors) }
        return result
    }
}

/// One of the updates in the member `updates` of the command `update`.
private struct UpdatePart {
    private let query: MongoDocument
    private let update: BSON
    private let isMany: Bool
    private let isUpsert: Bool
    private let arrayFilters: [BSON]
    private let sort: MongoDocument

    init(_ part: MongoDocument) throws {
        let names: Set<String> = ["q", "u", "multi", "upsert", "arrayFilters", "sort", "hint"]
        let fields = try CommandFields(part, at: "update.updates", names, required: ["q", "u"])
        query = try fields.document("q")
        update = fields["u"] ?? .null
        switch update {
        case .document, .array: break
        default: throw MongoError.typeMismatch("The field 'update.updates.u' must be an object or an array.")
        }
        isMany = try fields.bool("multi")
        isUpsert = try fields.bool("upsert")
        arrayFilters = try fields.array("arrayFilters")
        sort = try fields.document("sort")
    }

    func statement(_ context: FilterContext) throws -> UpdateStatement {
        try UpdateStatement(
            query, update, isMany: isMany, isUpsert: isUpsert, arrayFilters: arrayFilters, sort: sort,
            context: context)
    }
}

/// One of the deletions in the member `deletes` of the command `delete`.
private struct DeletePart {
    let query: MongoDocument
    let isMany: Bool

    init(_ part: MongoDocument) throws {
        let names: Set<String> = ["q", "limit", "hint"]
        let fields = try CommandFields(part, at: "delete.deletes", names, required: ["q", "limit"])
        query = try fields.document("q")
        let limit = try fields.integer("limit")
        try require(
            limit == 0 || limit == 1, .failedToParse("A 'limit' of the command delete is 0, for all documents, or 1."))
        isMany = limit == 0
    }
}

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
        try require(fields["update"] == nil, .failedToParse("The command takes an 'update' or 'remove', not both."))
        try require(!fields.bool("upsert"), .failedToParse("The command takes 'upsert' or 'remove', not both."))
        try require(
            !fields.bool("new"),
            .failedToParse("With 'remove' the command returns the removed document, so that it can't have 'new'."))
        return .remove
    }

    private static func update(
        _ fields: CommandFields, _ context: FilterContext
    ) throws -> FindAndModifyStatement.Action {
        let operand = try require(fields["update"], .failedToParse("The command needs an 'update' or 'remove'."))
        let update = try Update(parsing: operand, arrayFilters: fields.array("arrayFilters"), context: context)
        return .update(update, isUpsert: try fields.bool("upsert"), returnsNew: try fields.bool("new"))
    }
}
