internal import SealiteDatabase

extension SchemaError: DocumentRefusal {
    /// The error as one line, with at most five of a document's violations.
    package var refusal: String {
        guard case .unfit(let type, let violations) = self else {
            return reason.split(separator: "\n").joined(separator: " ")
        }
        let shown = violations.prefix(5).map(\.description) + (violations.count > 5 ? ["…"] : [])
        return "it doesn't fit the schema of type '\(type)': \(shown.joined(separator: ", "))"
    }
}
