/// The renames of a type's properties in a migration: those of the migration function, and those that the new type
/// declares.
struct PropertyRenames {
    private let old: ObjectSchema
    private let new: ObjectSchema
    /// The properties of the old type, by the names that they have after the renames so far.
    private var current: [String: Property]

    init(_ old: ObjectSchema, _ new: ObjectSchema) {
        (self.old, self.new) = (old, new)
        current = Dictionary(old.properties.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Renames a property; the new name may be renamed again.
    ///
    /// - Throws: `SchemaError.rename`.
    mutating func rename(_ from: String, to name: String) throws(SchemaError) {
        let place = "Property '\(old.name).\(from)' can't be renamed"
        guard new[from] == nil else {
            throw .rename("\(place) to '\(name)': the new type still has it.")
        }
        guard let property = current[from] else { throw .rename("\(place): the old type hasn't got it.") }
        guard current[name] == nil else {
            throw .rename("\(place) to '\(name)': the old type has a property with this name.")
        }
        if let target = new[name] { try check(property, target, place) }
        current[from] = nil
        current[name] = property
    }

    private func check(_ property: Property, _ target: Property, _ place: String) throws(SchemaError) {
        let reason = "\(place) to '\(target.name)'"
        guard property.type.isStoredAs(target.type) else {
            throw .rename(
                "\(reason): a value of type '\(property.type.name)' isn't stored like one of type '\(target.type.name)'."
            )
        }
        guard property.isRequired || !target.isRequired else {
            throw .rename("\(reason): it is optional, and the new property is required.")
        }
    }

    /// Returns the new names of the renamed properties, by their names in the old type.
    ///
    /// - Throws: `SchemaError.rename` if a property was renamed to one that the new type doesn't have.
    func names() throws(SchemaError) -> [String: String] {
        var names: [String: String] = [:]
        for (name, property) in current where name != property.name {
            guard new[name] != nil else {
                throw .rename("The new type '\(new.name)' has no property '\(name)', to which one was renamed.")
            }
            names[property.name] = name
        }
        for property in new.properties where current[property.name] == nil {
            let alias = property.renamedFrom.first { current[$0] != nil && new[$0] == nil && names[$0] == nil }
            if let alias, let source = current[alias], source.name == alias { names[alias] = property.name }
        }
        return names
    }
}
