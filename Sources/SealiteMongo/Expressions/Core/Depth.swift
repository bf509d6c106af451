internal import SealiteValues

extension BSON {
    /// The number of documents and arrays that may lie in each other in a value that an expression made.
    static let maximumDepth = 500

    /// Throws where more documents and arrays lie in each other than a value may have.
    func checkDepth() throws {
        guard isWithin(depth: Self.maximumDepth) else {
            throw MongoError(code: 15, "More than \(Self.maximumDepth) documents and arrays lie in each other.")
        }
    }

    private func isWithin(depth: Int) -> Bool {
        switch self {
        case .document(let document):
            depth > 0 && document.members.allSatisfy { $0.value.isWithin(depth: depth - 1) }
        case .array(let items): depth > 0 && items.allSatisfy { $0.isWithin(depth: depth - 1) }
        default: true
        }
    }
}
