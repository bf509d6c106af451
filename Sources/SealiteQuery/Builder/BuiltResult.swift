internal import SealiteQueryLanguage
internal import SealiteDatabase

struct BuiltResult: SelectResultAs, SelectResultFrom {
    let expression: Tree.Expression
    let alias: String?

    func `as`(_ alias: String?) -> any SelectResultProtocol { BuiltResult(expression: expression, alias: alias) }
    func from(_ alias: String?) -> any SelectResultProtocol {
        BuiltResult(expression: .star(alias.map { [$0] } ?? [], .none), alias: nil)
    }
}
