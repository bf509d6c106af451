internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteQuery
internal import SealiteQueryLanguage
internal import SealiteValues

/// The member that a key path leads to, in the form that queries need.
struct MemberPath: Sendable {
    /// The names of the path to the member; empty for the element of a list itself.
    let names: [String]
    /// A Boolean value that says whether the member is the document's ID.
    let isID: Bool
    /// A Boolean value that says whether the path begins at an element of a list, instead of at the document.
    let isOfElement: Bool
    /// A Boolean value that says whether the member may be nil, or absent from documents.
    let mayBeNil: Bool
    /// The type of the member's values in the schema.
    let type: PropertyType
    /// The plan for encoding the member's values.
    let plan: ValuePlan
    /// The type and the key path as text, for error messages.
    let place: String

    /// The name of the variable that stands for an element in conditions on elements.
    static var variable: String { "item" }

    /// Returns the member of a key path.
    ///
    /// - Throws: `SchemaError.unknownKeyPath` if the key path can't be found in the type.
    static func of<Root: Codable>(_ keyPath: PartialKeyPath<Root>) throws -> MemberPath {
        try KeyPathFinder<Root>.shared().member(keyPath)
    }

    // MARK: - Expressions

    /// The member as a SQL++ expression.
    var expression: Tree.Expression {
        if isID { return .property(.meta([], .none), [.name("id")]) }
        let names = isOfElement ? [Self.variable] + names : names
        guard let root = names.first else { return .literal(.missing) }
        return .path(Tree.Path(root, names.dropFirst().map { .name($0) }))
    }

    /// The SQL++ condition that the member is nil.
    var isNil: Tree.Expression { .isValued(expression, isNegated: true) }

    /// The member as a SQL++ expression whose values sort in the order of the member's values.
    var ordered: Tree.Expression {
        switch type {
        // The document's ID is `$n:` followed by the digits of the number.
        case .int where isID, .long where isID:
            .call(FunctionCall("TONUMBER", [.call(FunctionCall("SUBSTR", [expression, .literal(.integer(3))]))]))
        case .decimal128 where !isID:
            .call(FunctionCall("TONUMBER", [.property(of: expression, [.name("$numberDecimal")])]))
        default: expression
        }
    }

    // MARK: - Values

    /// Returns whether a value is nil, or null in a mixed member.
    func isNil(_ value: some Encodable) throws -> Bool { try stored(value)?.isNull ?? true }

    /// Returns the SQL++ literals for a value: mostly one, but two for an ID that documents from other programs may
    /// have in another form.
    func literals(of value: some Encodable) throws -> [Tree.Expression] {
        guard isID else { return [try literal(stored(value))] }
        guard let key = (value as? any ModelKey)?.keyValue else { throw failure("a value of its type can't be an ID") }
        let texts: [String]
        if case .objectID(let id) = key {
            texts = ["$oid:\(id.hex)"]
        } else {
            texts = try DocumentKey.candidates(for: key)
        }
        return texts.map { .literal(.string($0)) }
    }

    /// Returns the SQL++ literal for a value that is compared with ``ordered``, the member in the order of its values.
    func orderedLiteral(of value: some Encodable) throws -> Tree.Expression {
        let place = try stored(value)
        switch type {
        case .decimal128 where !isID:
            guard let number = place?.decimal128 else { return try literal(place) }
            let text = number.description
            guard Number(json: text) != nil else { throw failure("the number isn't finite") }
            return .literal(.number(text))
        case .int where isID, .long where isID: return try literal(place)
        default:
            guard isID, let first = try literals(of: value).first else { return try literal(place) }
            return first
        }
    }

    /// Returns the SQL++ literal for an element of the member's list or set.
    func elementLiteral(of value: some Encodable) throws -> Tree.Expression {
        try literal(StoredForm.place(of: value, plan.items))
    }

    private func stored(_ value: some Encodable) throws -> StoredElement? { try StoredForm.place(of: value, plan) }

    private func literal(_ place: StoredElement?) throws -> Tree.Expression {
        guard let place else { return .literal(.null) }
        guard let value = place.value(nil) else { throw failure("the value can't be stored") }
        return SealiteQuery.Expression.literal(value)
    }

    private func failure(_ reason: String) -> DatabaseError {
        DatabaseError(.invalidParameter, "\(place) can't be compared with the value in a query: \(reason)")
    }
}
