internal import SealiteJSON
internal import SealiteValues

/// The compiled check of a property.
final class PropertyCheck: Sendable {
    let name: String
    /// The property's name in UTF-8.
    let utf8: [UInt8]
    let type: ValueCheck
    let isRequired: Bool
    let takesNull: Bool
    /// The compiled constraints; nil if there are none.
    let constraints: JSONSchema?

    init(_ property: Property, _ type: ValueCheck, takesNull: Bool, _ constraints: JSONSchema?) {
        (name, utf8, self.type) = (property.name, Array(property.name.utf8), type)
        (isRequired, self.takesNull, self.constraints) = (property.isRequired, takesNull, constraints)
    }
}
