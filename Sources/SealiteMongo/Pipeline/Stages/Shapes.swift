internal import SealiteValues

extension StageKind {
    /// The stages that change the shape of each row, such as `$project` and `$unset`.
    static let shapes: [StageKind] = [
        .init("$project") { specification, parser in
            let document = try requireDocument(specification, 15969, "$project takes an object")
            return projecting(try FieldProjection(parsing: document, parser.expressions))
        },
        .init("$addFields", addFields), .init("$set", addFields),
        .init("$unset") { specification, _ in
            if specification.items == nil {
                _ = try requireString(specification, 31002, "$unset takes a string or an array")
            }
            let items = specification.items ?? [specification]
            try require(!items.isEmpty, 31119, "$unset takes at least one path.")
            let paths = try items.map { try requireString($0, 31120, "$unset takes strings") }
            try require(
                !paths.contains { $0.utf8.contains(0) }, 9_527_900, "$unset takes no path with a NUL character.")
            return projecting(try FieldProjection(removing: paths))
        },
        .init("$replaceRoot") { specification, parser in
            let members = try StageMembers(specification, of: "$replaceRoot", ["newRoot"], code: 40229)
            return try replacing(members["newRoot"] ?? .null, parser)
        },
        .init("$replaceWith") { specification, parser in try replacing(specification, parser) },
    ]

    @Sendable private static func addFields(_ specification: BSON, _ parser: PipelineParser) throws -> any Stage {
        let document = try requireDocument(specification, 40272, "$addFields and $set take an object")
        return projecting(try FieldProjection(adding: document, parser.expressions))
    }

    private static func projecting(_ projection: FieldProjection) -> any Stage {
        FunctionStage { input, run in
            let evaluation = run.evaluation()
            return input.map { $0.replaced(by: try projection.document(of: $0, evaluation)) }
        }
    }

    private static func replacing(_ expression: BSON, _ parser: PipelineParser) throws -> any Stage {
        let node = try parser.expressions.parse(expression)
        return FunctionStage { input, run in
            let evaluation = run.evaluation()
            return input.map { row in
                evaluation.row = row
                let value = try node.value(evaluation)
                let document = try requireDocument(
                    value, 40228, "$replaceRoot and $replaceWith take an object as the new document")
                try value?.checkSize()
                try document.checkStorable("$replaceRoot")
                return row.replaced(by: document)
            }
        }
    }
}

extension MongoDocument {
    /// The greatest size of a document in BSON, in bytes: that of documents inside a server.
    private static let maximumByteCount = (16 << 20) + (16 << 10)

    /// Throws `MongoError` 10334 if the document, which the stage with the name `stage` made, is larger than documents
    /// can be.
    func checkStorable(_ stage: String) throws {
        try require(
            bsonByteCount <= Self.maximumByteCount, 10334,
            "\(stage) would make a document of more than \(Self.maximumByteCount) bytes.")
    }
}
