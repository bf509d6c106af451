/// A statement of SQL++.
package enum Statement: Sendable, Equatable {
    case query(Query)
    case update(Update)
    case delete(Delete)
    case insert(Insert)
}
