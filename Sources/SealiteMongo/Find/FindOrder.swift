internal import SealiteValues

/// The order in which documents are returned.
enum FindOrder: Sendable {
    /// In the order in which the documents were first inserted, or in reverse.
    case natural(isReversed: Bool)
    /// By values; documents with equal values in natural order.
    case sorted(SortOrder)

    /// Creates the order that a sort specification describes; natural order for an empty one.
    init(_ specification: MongoDocument) throws {
        guard let natural = specification["$natural"] else {
            self =
                specification.isEmpty
                ? .natural(isReversed: false) : .sorted(try SortOrder(.document(specification)))
            return
        }
        guard specification.count == 1, natural.type.isNumber, let direction = natural.exactInt64,
            direction == 1 || direction == -1
        else {
            throw MongoError.badValue("A sort by $natural takes 1 or -1, and has no other key.")
        }
        self = .natural(isReversed: direction == -1)
    }
}
