internal import SealiteValues

extension StageKind {
    /// The stages that change the shape of each row, such as `$project` and `$unset`.
    static let shapes: [StageKind] = [
        .init("$project") { specification, parser in
            guard case .document(let document) = specification else {
                throw MongoError(code: 15969, "$project takes an object, not \(specification.type.alias).")
            }
            return projecting(try FieldProjection(parsing: document, parser.expressions))
        },
        .init("$addFields", addFields), .init("$set", addFields),
        .init("$unset") { specification, _ in
            let items = if case .array(let items) = specification { items } else { [specification] }
            guard !items.isEmpty else { throw MongoError(code: 31119, "$unset takes at least one path.") }
            let paths = try items.map { item in
                guard case .string(let path) = item else {
                    throw MongoError(code: 31120, "$unset takes strings, not \(item.type.alias).")
                }
                return path
            }
            return projecting(try FieldProjection(removing: paths))
        },
        .init("$replaceRoot") { specification, parser in
            let members = try StageMembers(
                specification, of: "$replaceRoot", ["newRoot"], required: ["newRoot"], code: 40229)
            return try replacing(members["newRoot"] ?? .null, parser)
        },
        .init("$replaceWith") { specification, parser in try replacing(specification, parser) },
    ]

    @Sendable private static func addFields(_ specification: BSON, _ parser: PipelineParser) throws -> any Stage {
        guard case .document(let document) = specification else {
            throw MongoError(code: 40272, "$addFields and $set take an object, not \(specification.type.alias).")
        }
        return projecting(try FieldProjection(adding: document, parser.expressions))
    }

    private static func projecting(_ projection: FieldProjection) -> any Stage {
        FunctionStage { input, run in
            let evaluation = run.evaluation()
            return input.map { Row(try projection.document(of: $0, evaluation)) }
        }
    }

    private static func replacing(_ expression: BSON, _ parser: PipelineParser) throws -> any Stage {
        let node = try parser.expressions.parse(expression)
        return FunctionStage { input, run in
            let evaluation = run.evaluation()
            return input.map { row in
                evaluation.row = row
                let value = try node.value(evaluation)
                guard case .document(let document) = value else {
                    throw MongoError(
                        code: 40228,
                        "$replaceRoot and $replaceWith take an object as the new document, not \(value.typeName).")
                }
                try value?.checkSize()
                return Row(document)
            }
        }
    }
}
