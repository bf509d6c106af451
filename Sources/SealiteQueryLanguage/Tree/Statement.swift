/// A statement of SQL++, as a syntax tree.
package enum Statement: Sendable, Equatable {
    case query(Query)
    case update(Update)
    case delete(Delete)
    case insert(Insert)
}
