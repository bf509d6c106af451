internal import SealiteValues

extension PropertyType {
    /// Returns a value in the form that values of the type have in documents: a number as the integer, double or
    /// decimal number that the type requires, an integer in the narrowest width; nil if the value isn't of the type.
    ///
    /// - Parameters:
    ///   - value: the value, such as a default of a JSON Schema.
    ///   - object: returns an embedded type by its name; nil if there is none.
    /// - Returns: the value in this form.
    func fitting(_ value: BSON, _ object: (String) -> ObjectSchema?) -> BSON? {
        switch (self, value) {
        case (.bool, .bool), (.string, .string), (.date, .datetime), (.objectID, .objectID), (.mixed, _),
            (.decimal128, .decimal128), (.double, .double):
            return value
        case (.int, _): return Self.integer(value).flatMap { Int32(exactly: $0) }.map { .int32($0) }
        case (.long, _): return Self.integer(value).map { BSON($0) }
        case (.double, _): return Self.integer(value).map { .double(Double($0)) }
        case (.decimal128, .double(let number)): return .decimal128(Decimal128(shortest: number))
        case (.decimal128, _): return Self.integer(value).map { .decimal128(Decimal128($0)) }
        case (.uuid, .binary(let binary)): return binary.uuidText == nil ? nil : value
        case (.data, .binary(let binary)): return binary.subtype == 0 ? value : nil
        case (.geoPoint, .document(let document)): return Self.point(document)
        case (.embedded(let name), .document(let document)):
            return object(name).flatMap { Self.members($0, document, object) }
        case (.link(_, let key), _): return key.fitting(value, object)
        case (.array(let item), .array(let items)): return item.fitting(items, object).map { .array($0) }
        case (.set(let item), .array(let items)):
            guard let items = item.fitting(items, object), Set(items.map { BSONKey($0) }).count == items.count else {
                return nil
            }
            return .array(items)
        case (.dictionary(let item), .document(let document)):
            guard let values = item.fitting(document.members.map(\.value), object) else { return nil }
            return .document(MongoDocument(zip(document.keys, values).map { .init($0, $1) }))
        default: return nil
        }
    }

    private func fitting(_ items: [BSON], _ object: (String) -> ObjectSchema?) -> [BSON]? {
        let fitting = items.compactMap { self.fitting($0, object) }
        return fitting.count == items.count ? fitting : nil
    }

    /// Returns the integer that equals a number of any width; nil if there is none.
    private static func integer(_ value: BSON) -> Int64? {
        switch value {
        case .int32(let number): Int64(number)
        case .int64(let number): number
        case .double(let number): Int64(exactly: number)
        default: nil
        }
    }

    private static func point(_ document: MongoDocument) -> BSON? {
        guard document.count == 2, document["type"] == "Point", case .array(let items)? = document["coordinates"],
            items.count == 2, let coordinates = PropertyType.double.fitting(items, { _ in nil })
        else { return nil }
        return ["type": "Point", "coordinates": .array(coordinates)]
    }

    /// Returns the members of an embedded object, in the form of their types; nil if a member isn't of its type, if it
    /// isn't a property, or if a required member without a default is missing.
    private static func members(
        _ type: ObjectSchema, _ document: MongoDocument, _ object: (String) -> ObjectSchema?
    ) -> BSON? {
        let properties = Dictionary(type.properties.map { ($0.name, $0) }) { first, _ in first }
        var members: [MongoDocument.Member] = []
        for member in document {
            guard let value = properties[member.key]?.type.fitting(member.value, object) else { return nil }
            members.append(.init(member.key, value))
        }
        let names = Set(document.keys)
        let isComplete = type.properties.allSatisfy {
            !$0.isRequired || $0.defaultValue != nil || names.contains($0.name)
        }
        return isComplete ? .document(MongoDocument(members)) : nil
    }
}
