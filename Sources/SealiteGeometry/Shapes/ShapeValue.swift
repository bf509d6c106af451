/// A value of a document, as far as shapes are read from it.
package indirect enum ShapeValue: Sendable {
    case number(Double)
    case text(String)
    case list([ShapeValue])
    /// An object, with its members in their order.
    case members([(name: String, value: ShapeValue)])
    case other

    /// The value of a member of an object; nil for other values, and without such a member.
    package subscript(name: String) -> ShapeValue? {
        guard case .members(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The items of an array, or the values of an object; nil for other values.
    var items: [ShapeValue]? {
        switch self {
        case .list(let items): items
        case .members(let members): members.map(\.value)
        default: nil
        }
    }

    package var number: Double? { if case .number(let number) = self { number } else { nil } }
}
