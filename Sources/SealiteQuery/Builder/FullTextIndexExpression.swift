internal import SealiteDatabase
internal import SealiteQueryLanguage

struct FullTextIndexExpression: FullTextIndexExpressionProtocol {
    let names: [String]

    func from(_ alias: String) -> any FullTextIndexExpressionProtocol {
        FullTextIndexExpression(names: [alias] + names.suffix(1))
    }
}
