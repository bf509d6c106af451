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
            let items = if case .array(let items) = specification { items } else { [specification] }
            try require(!items.isEmpty, 31119, "$unset takes at least one path.")
            let paths = try items.map { item in
                return try requireString(item, 31120, "$unset takes strings")
            }
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
                return row.replaced(by: document)
            }
        }
    }
}
