internal import SealiteValues

/// Converts default values to Swift expressions of the properties' Swift types.
struct SwiftTypedLiteral {
    /// The modules that define the types in the expressions that were returned.
    private(set) var modules: Set<SwiftModule> = []
    private let writer: SwiftWriter
    private let compilable: (PropertyType) -> PropertyType

    /// Creates a converter.
    ///
    /// - Parameters:
    ///   - writer: the writer that names types and properties.
    ///   - compilable: returns the schema type without references to types that the schema doesn't have.
    init(_ writer: SwiftWriter, _ compilable: @escaping (PropertyType) -> PropertyType) {
        (self.writer, self.compilable) = (writer, compilable)
    }

    /// Returns the Swift expression for a property's value; nil if no expression is certain to be valid.
    private mutating func expression(_ value: BSON, _ type: PropertyType, _ isOptional: Bool) -> String? {
        if type == .geoPoint {
            modules.insert(.model)
            return isOptional ? point(value) : nil
        }
        return expression(value, compilable(type))
    }

    /// Returns the Swift expression for a property's default; nil if it has no default, or if no expression is certain
    /// to be valid.
    mutating func defaultExpression(of property: Property) -> String? {
        guard let value = property.defaultValue else { return nil }
        return expression(value, property.type, property.isOptional)
    }

    private mutating func expression(_ value: BSON, _ type: PropertyType) -> String? {
        if let module = type.swiftModule { modules.insert(module) }
        return switch (type, value) {
        case (.bool, .bool(let flag)): "\(flag)"
        case (.int, .int32(let number)), (.long, .int32(let number)): "\(number)"
        case (.long, .int64(let number)): "\(number)"
        case (.double, .double(let number)): SwiftLiteral.double(number)
        case (.string, .string(let text)): SwiftLiteral.text(text)
        case (.data, .binary(let binary)): "[\(binary.bytes.map { "\($0)" }.joined(separator: ", "))]"
        case (.date, .datetime(let date)): "Date(timeIntervalSince1970: \(Double(date.milliseconds) / 1000))"
        case (.decimal128, .decimal128(let number)): "Decimal128(\(SwiftLiteral.text("\(number)"))) ?? .nan"
        case (.objectID, .objectID(let id)): "ObjectID(\(SwiftLiteral.text(id.hex))) ?? ObjectID()"
        case (.uuid, .binary(let binary)):
            binary.uuidText.map { "UUID(uuidString: \(SwiftLiteral.text($0))) ?? UUID()" }
        case (.mixed, _):
            SwiftLiteral.mixed(value) ?? "(try? Value(json: \(SwiftLiteral.text(value.extendedJSON())))) ?? .null"
        case (.embedded(let name), .document(let document)): embedded(name, document)
        case (.link(_, let key), _):
            expression(value, key).map { "Reference(id: \($0))" }
        case (.array(let item), .array(let items)), (.set(let item), .array(let items)): list(items, item)
        case (.dictionary(let item), .document(let document)): dictionary(document, item)
        default: nil
        }
    }

    private mutating func list(_ items: [BSON], _ type: PropertyType) -> String? {
        var literals: [String] = []
        for item in items {
            guard let literal = expression(item, type) else { return nil }
            literals.append(literal)
        }
        return "[\(literals.joined(separator: ", "))]"
    }

    private mutating func dictionary(_ document: MongoDocument, _ type: PropertyType) -> String? {
        guard !document.isEmpty else { return "[:]" }
        var literals: [String] = []
        for member in document {
            guard let literal = expression(member.value, type) else { return nil }
            literals.append("\(SwiftLiteral.text(member.key)): \(literal)")
        }
        return "[\(literals.joined(separator: ", "))]"
    }

    private mutating func embedded(_ name: String, _ document: MongoDocument) -> String? {
        guard let object = writer.objects[name], let type = writer.names.types[name] else { return nil }
        let values = Dictionary(document.map { ($0.key, $0.value) }) { first, _ in first }
        var arguments: [String] = []
        for property in object.properties {
            guard let value = values[property.name] else {
                // A property without a value is left to the initializer, in which a required property may have no
                // default.
                guard !property.isRequired || defaultExpression(of: property) != nil else { return nil }
                continue
            }
            guard let literal = expression(value, property.type, property.isOptional) else { return nil }
            let label = writer.names.properties[name]?[property.name] ?? property.name
            arguments.append("\(SwiftName.label(label)): \(literal)")
        }
        return "\(type)(\(arguments.joined(separator: ", ")))"
    }

    private func point(_ value: BSON) -> String? {
        guard case .document(let document) = value, case .array(let items)? = document["coordinates"],
            items.count == 2, case .double(let longitude) = items[0], case .double(let latitude) = items[1]
        else { return nil }
        return "GeoPoint(latitude: \(SwiftLiteral.double(latitude)), longitude: \(SwiftLiteral.double(longitude)))"
    }
}
