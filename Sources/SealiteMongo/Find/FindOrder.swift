internal import SealiteValues

/// The order in which documents are found.
enum FindOrder: Sendable {
    /// As they were changed, the one that was changed longest ago first, or against that.
    case natural(isReversed: Bool)
    /// By values, and as they were changed where these are equal.
    case sorted(SortOrder)

    /// The order of a specification; the natural one for an empty one.
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
            throw MongoError.badValue("$natural sort cannot be set to a value other than -1 or 1, or with other keys.")
        }
        self = .natural(isReversed: direction == -1)
    }
}
