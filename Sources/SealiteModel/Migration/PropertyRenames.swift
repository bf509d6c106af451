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
    /// - Throws: `SchemaError.rename`, with Realm's text.
    mutating func rename(_ from: String, to name: String) throws(SchemaError) {
        let place = "Cannot rename property '\(old.name).\(from)'"
        guard new[from] == nil else {
            throw .rename("\(place) to '\(name)' because the source property still exists.")
        }
        guard let property = current[from] else { throw .rename("\(place) because it does not exist.") }
        guard current[name] == nil else {
            throw .rename("\(place) to '\(name)' because there is a property of that name already.")
        }
        if let target = new[name] { try check(property, target, place) }
        current[from] = nil
        current[name] = property
    }

    private func check(_ property: Property, _ target: Property, _ place: String) throws(SchemaError) {
        let reason = "\(place) to '\(target.name)' because it would change"
        guard property.type.isStoredAs(target.type) else {
            throw .rename("\(reason) from type '\(property.type.name)' to '\(target.type.name)'.")
        }
        guard property.isRequired || !target.isRequired else {
            throw .rename("\(reason) from optional to required.")
        }
    }

    /// Returns the new names of the renamed properties, by their names in the old type.
    ///
    /// - Throws: `SchemaError.rename` if a property was renamed to one that the new type doesn't have.
    func names() throws(SchemaError) -> [String: String] {
        var names: [String: String] = [:]
        for (name, property) in current where name != property.name {
            guard new[name] != nil else { throw .rename("Renamed property '\(new.name).\(name)' does not exist.") }
            names[property.name] = name
        }
        for property in new.properties where current[property.name] == nil {
            let alias = property.renamedFrom.first { current[$0] != nil && new[$0] == nil && names[$0] == nil }
            if let alias, let source = current[alias], source.name == alias { names[alias] = property.name }
        }
        return names
    }
}
