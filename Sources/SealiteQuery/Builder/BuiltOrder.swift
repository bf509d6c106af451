internal import SealiteQueryLanguage
internal import SealiteDatabase

struct BuiltOrder: QuerySortOrder {
    let term: Tree.OrderTerm

    func ascending() -> any OrderingProtocol { BuiltOrder(term: Tree.OrderTerm(term.expression, .ascending)) }
    func descending() -> any OrderingProtocol { BuiltOrder(term: Tree.OrderTerm(term.expression, .descending)) }
}
