internal import SealiteValues

/// Writes one object type as Swift.
struct SwiftTypeWriter {
    private(set) var text = SwiftText()
    /// The modules that define the types that occur in declarations.
    private(set) var shownModules: Set<SwiftModule> = []
    /// The modules that define the types that occur in function bodies.
    private(set) var usedModules: Set<SwiftModule> = []
    private let writer: SwiftWriter
    private let object: ObjectSchema
    /// The properties, the primary key first.
    private let properties: [Property]
    private let isModel: Bool

    init(_ writer: SwiftWriter, _ object: ObjectSchema) {
        (self.writer, self.object) = (writer, object)
        isModel = !object.isEmbedded
        var properties = object.properties
        if !object.isEmbedded {
            let unnamed = object["_id"].flatMap { $0.type.isKey ? $0 : nil } ?? Property("_id", .string)
            var key = object.primaryKey.flatMap { object[$0] } ?? unnamed
            key.isOptional = false
            properties.removeAll { $0.name == key.name }
            properties.insert(key, at: 0)
        }
        self.properties = properties
    }

    /// Writes the Swift type.
    mutating func write() {
        let declaration = declarationArguments()
        if isModel || !declaration.isEmpty { shownModules.insert(.model) }
        comment(object.description, object.constraints)
        text.line("\(access)struct \(writer.names.types[object.name] ?? object.name): \(protocols(declaration)) {")
        text.indent()
        for property in properties {
            comment(property.description, property.constraints)
            text.line("\(access)var \(name(of: property)): \(shownType(of: property))")
        }
        writeKey()
        if !declaration.isEmpty {
            text.line()
            text.comment("The part of the schema that the type doesn't show.")
            text.list("\(access)static let declaration = ModelDeclaration(", declaration, ")")
        }
        text.line()
        writeInitializer()
        writeCodingKeys()
        text.outdent()
        text.line("}")
    }

    private func protocols(_ declaration: [String]) -> String {
        if isModel { return "Model, Hashable" }
        return declaration.isEmpty ? "Codable, Hashable, Sendable" : "EmbeddedModel, Hashable"
    }

    // MARK: - Comments

    /// Writes a documentation comment: the description of a type or a property, and the constraints, which only
    /// validation checks.
    private mutating func comment(_ description: String?, _ constraints: MongoDocument) {
        if let description, !description.isEmpty { text.comment(description) }
        guard !constraints.isEmpty else { return }
        if description?.isEmpty == false { text.comment("") }
        text.comment("Validation keeps to:")
        for member in constraints {
            text.comment("- \(SwiftText.plain(member.key)): \(SwiftText.plain(member.value.extendedJSON()))")
        }
    }

    // MARK: - Members

    private var access: String { writer.access == .internal ? "" : writer.access.rawValue + " " }

    /// The primary key; nil for an embedded type. A model without a primary key gets a property for one.
    private var key: Property? { isModel ? properties.first : nil }

    private func name(of property: Property) -> String {
        if property.name == "_id", property.name == key?.name { return "id" }
        return writer.names.properties[object.name]?[property.name] ?? SwiftName.property(property.name)
    }

    /// Returns the Swift type of a property, and records the module that defines it in ``shownModules``.
    private mutating func shownType(of property: Property) -> String {
        var shown = property
        shown.type = compilable(property.type)
        if let module = shown.type.swiftModule { shownModules.insert(module) }
        return shown.swiftType { writer.names.types[$0] ?? $0 }
    }

    /// Returns the schema type without references to types that the schema doesn't have: a link to such a type becomes
    /// the type of its key, and such an embedded type becomes `mixed`.
    private func compilable(_ type: PropertyType) -> PropertyType {
        switch type {
        case .link(let target, let key): writer.objects[target]?.isEmbedded == false ? type : key
        case .array(let item): .array(compilable(item))
        case .set(let item): .set(compilable(item))
        case .dictionary(let item): .dictionary(compilable(item))
        case .embedded(let name): writer.objects[name] == nil ? .mixed : type
        default: type
        }
    }

    /// Writes the property `id`, if the primary key's property has another name.
    private mutating func writeKey() {
        guard let key, name(of: key) != "id" else { return }
        text.line()
        text.comment("The ID of the document.")
        text.line("\(access)var id: \(shownType(of: key)) { \(name(of: key)) }")
    }

    private mutating func writeInitializer() {
        let parameters = properties.map { property in
            let start = "\(name(of: property)): \(shownType(of: property))"
            guard let value = initialValue(of: property) else { return start }
            return "\(start) = \(value)"
        }
        text.comment(isModel ? "An object of its members." : "A value of its members.")
        text.list("\(access)init(", parameters, ") {")
        text.indent()
        for property in properties { text.line("self.\(name(of: property)) = \(name(of: property))") }
        text.outdent()
        text.line("}")
    }

    /// A Boolean value that says whether some property's name differs from the name of its member. The property `id` of
    /// a primary key `_id` needs no coding key.
    private var hasCodingKeys: Bool {
        properties.contains { property in
            let isKey = property.name == "_id" && property.name == key?.name
            return !isKey && SwiftName.unquoted(name(of: property)) != property.name
        }
    }

    private mutating func writeCodingKeys() {
        guard hasCodingKeys else { return }
        text.line()
        text.line("private enum CodingKeys: String, CodingKey {")
        text.indent()
        for property in properties {
            let name = name(of: property)
            let isSame = SwiftName.unquoted(name) == property.name
            text.line("case \(name)" + (isSame ? "" : " = \(SwiftLiteral.text(property.name))"))
        }
        text.outdent()
        text.line("}")
    }

    // MARK: - Values

    /// Returns the default value of the initializer's parameter for a property; nil if the caller must pass a value.
    private mutating func initialValue(of property: Property) -> String? {
        var literals = SwiftTypedLiteral(writer, compilable)
        if let literal = literals.defaultExpression(of: property) {
            shownModules.formUnion(literals.modules)
            return literal
        }
        if property.name == key?.name {
            switch property.type {
            case .objectID: return "ObjectID()"
            case .uuid: return "UUID()"
            default: return nil
            }
        }
        switch property.type {
        case .mixed: return ".null"
        case .array, .set: return "[]"
        case .dictionary: return "[:]"
        default: return property.isOptional ? "nil" : nil
        }
    }

    // MARK: - Declaration

    /// Returns the arguments of `ModelDeclaration(…)`: the parts of the schema that can't be derived from the Swift
    /// type.
    private mutating func declarationArguments() -> [String] {
        var arguments: [String] = []
        if SwiftName.unquoted(writer.names.types[object.name] ?? "") != object.name {
            arguments.append("name: \(SwiftLiteral.text(object.name))")
        }
        if let key = object.primaryKey, key != "_id" { arguments.append("primaryKey: \(SwiftLiteral.text(key))") }
        if let description = object.description {
            arguments.append("description: \(SwiftLiteral.text(description))")
        }
        let hasCodingKeys = hasCodingKeys
        for property in properties {
            let parts = declarationParts(of: property)
            guard !parts.isEmpty else { continue }
            let name = hasCodingKeys ? property.name : SwiftName.unquoted(name(of: property))
            arguments.append(".property(\(([SwiftLiteral.text(name)] + parts).joined(separator: ", ")))")
        }
        return arguments
    }

    private mutating func declarationParts(of property: Property) -> [String] {
        var parts: [String] = []
        // If there is another property `id`, links find the type of the primary key only in its declaration.
        let isKeyBesideID = property.name == key?.name && property.name != "id" && object["id"] != nil
        if property.type.hasInt || compilable(property.type) != property.type || isKeyBesideID {
            parts.append("type: \(property.type.swiftExpression)")
        }
        if let value = property.defaultValue {
            usedModules.insert(.values)
            parts.append("default: \(SwiftLiteral.bson(value))")
        }
        if property.isIndexed { parts.append("isIndexed: true") }
        if let index = property.vectorIndex {
            parts.append(
                "vectorIndex: PropertyVectorIndex(dimensions: \(index.dimensions), centroids: \(index.centroids), metric: .\(index.metric.rawValue))"
            )
        }
        if !property.renamedFrom.isEmpty {
            parts.append("renamedFrom: " + property.renamedFrom.map(SwiftLiteral.text).joined(separator: ", "))
        }
        if let description = property.description { parts.append("description: \(SwiftLiteral.text(description))") }
        return parts
    }
}
