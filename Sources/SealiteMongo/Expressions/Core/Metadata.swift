internal import SealiteValues

extension ExpressionOperator {
    /// The operator `$meta`, which gives metadata of a document, such as its score.
    static let metadata: [ExpressionOperator] = [
        .init("$meta") { operand, parser in
            let field = try MetadataField(operand, available: parser.metadata)
            return .form { $0.row.metadata(field) }
        }
    ]
}
