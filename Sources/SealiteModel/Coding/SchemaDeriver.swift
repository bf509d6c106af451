internal import Foundation
internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

/// Derives the schema of a type by decoding it with a decoder that records the requests.
final class SchemaDeriver {
    /// A type whose members are being requested.
    private struct Frame {
        let type: ObjectIdentifier
        let name: String
        var member = ""
    }

    /// The embedded types, in the order in which they were found.
    private(set) var embedded: [ObjectSchema] = []
    private var shapes: [ObjectIdentifier: Shape] = [:]
    private var frames: [Frame] = []

    // MARK: - Shapes

    /// Returns the shape (schema type and plan) of a member of the type whose members are being requested.
    func shape(of type: any Decodable.Type, member: String) throws -> Shape {
        if !frames.isEmpty { frames[frames.count - 1].member = member }
        return try shape(of: type)
    }

    private func shape(of type: any Decodable.Type) throws -> Shape {
        if let found = Shape.scalar(type) ?? shapes[ObjectIdentifier(type)] { return found }
        switch type {
        case let type as any DerivedOptional.Type:
            var shape = try shape(of: type.wrapped)
            shape.isOptional = true
            return shape
        case let type as any DerivedArray.Type:
            let item = try shape(of: type.item)
            return Shape(.array(item.itemType), .array(item.plan))
        case let type as any DerivedSet.Type:
            let item = try shape(of: type.item)
            return Shape(.set(item.itemType), .set(item.plan))
        case let type as any DerivedDictionary.Type:
            guard type.hasNames else {
                throw underivable("a dictionary's keys must be strings, or CodingKeyRepresentable")
            }
            let item = try shape(of: type.item)
            return Shape(.dictionary(item.itemType), .dictionary(item.plan))
        case let type as any DerivedReference.Type:
            return Shape(.link(to: type.target.schemaName, key: type.target.keyType), .link)
        case let type as any RawRepresentable.Type:
            if let found = try rawShape(type) { return found }
        case is any Model.Type:
            throw underivable(
                "'\(type)' is a Model, whose objects have documents of their own: link it by Reference<\(type)>")
        default: break
        }
        return try probedShape(of: type)
    }

    private func rawShape<T: RawRepresentable>(_ type: T.Type) throws -> Shape? {
        guard let raw = T.RawValue.self as? any Decodable.Type else { return nil }
        return Shape(try shape(of: raw).type, .own)
    }

    /// Returns the shape (schema type and plan) of a type that decodes itself, as a recording decoder finds it.
    private func probedShape(of type: any Decodable.Type) throws -> Shape {
        let (shape, _) = try probe(type, from: nil)
        shapes[ObjectIdentifier(type)] = shape
        return shape
    }

    // MARK: - Probing

    /// Decodes a type with a recording decoder.
    ///
    /// - Returns: the shape that the type's requests show, and the decoded value.
    private func probe<T: Decodable>(_ type: T.Type, from stored: StoredElement?) throws -> (shape: Shape, value: T) {
        let identity = ObjectIdentifier(type)
        let name = (type as? any EmbeddedModel.Type)?.declaration.name ?? String(describing: type)
        if let start = frames.firstIndex(where: { $0.type == identity }) {
            let path = frames[start...].map(\.member).joined(separator: ".")
            throw SchemaError.invalidSchema([
                "An object of an embedded type would contain one of its own type: '\(name).\(path)'."
            ])
        }
        frames.append(Frame(type: identity, name: name))
        defer { frames.removeLast() }
        let probe = SchemaProbe(self, name, (type as? any EmbeddedModel.Type)?.declaration, stored)
        let value = try probed(type, probe)
        return (try shape(of: probe), value)
    }

    private func probed<T: Decodable>(_ type: T.Type, _ probe: SchemaProbe) throws -> T {
        do {
            return try T(from: probe)
        } catch let error as SchemaError {
            throw error
        } catch {
            let member = frames.last?.member ?? ""
            let place = member.isEmpty ? "" : ".\(member)"
            throw SchemaError.underivable(
                type: frames.last?.name ?? "\(type)", member: member,
                reason:
                    "'\(type)' can't be decoded from sample values (decoding failed at '\(type)\(place)'): \(Self.advice(for: member))"
            )
        }
    }

    private static func advice(for member: String) -> String {
        let name = member.isEmpty ? "…" : "\"\(member)\""
        return "declare the member's type and a default that it accepts, .property(\(name), type: …, default: …)"
    }

    private func shape(of probe: SchemaProbe) throws -> Shape {
        switch probe.outcome {
        case .single(let shape):
            // The type encodes and decodes itself, as a value with the shape's schema type.
            if case .plain = shape.plan { return Shape(shape.type, .own) }
            return shape
        case .items(let shape?): return Shape(.array(shape.type), .array(shape.plan))
        case .members(let record):
            let (schema, plan) = try record.embeddedSchema()
            try add(schema)
            return Shape(.embedded(schema.name), .object(plan))
        // A type that requests nothing is an object without members.
        case .nothing:
            try add(ObjectSchema(probe.name, properties: [], isEmbedded: true))
            return Shape(.embedded(probe.name), .object(ObjectPlan(name: probe.name, members: [])))
        case .items(nil):
            throw underivable(
                "'\(probe.name)' is a list whose items' type isn't known: declare the member's type and a default, .property(…, type: …, default: …)"
            )
        }
    }

    /// Returns the shape (schema type and plan) of a member that is read through a nested container. It has no Swift
    /// type of its own, so that its embedded type is named after the position of the member.
    func shape(ofPart probe: SchemaProbe) throws -> Shape { try shape(of: probe) }

    /// Returns the embedded type with a name; nil if none has been found.
    func embeddedType(_ name: String) -> ObjectSchema? { embedded.first { $0.name == name } }

    /// Adds an embedded type to `embedded`, unless it is there already.
    ///
    /// - Throws: `SchemaError.invalidSchema` if a different embedded type has its name.
    private func add(_ schema: ObjectSchema) throws {
        guard let known = embedded.first(where: { $0.name == schema.name }) else {
            embedded.append(schema)
            return
        }
        guard known == schema else {
            throw SchemaError.invalidSchema([
                "Two embedded types have the name '\(schema.name)': conform one of them to EmbeddedModel, and declare another name for it"
            ])
        }
    }

    // MARK: - Models

    /// Derives the members of a model by decoding it with a recording decoder. `stored` is a value of the model whose
    /// members serve as sample values; nil if there is none.
    func members<M: Model>(of type: M.Type, from stored: StoredElement?) throws -> MemberRecord {
        frames.append(Frame(type: ObjectIdentifier(type), name: type.schemaName))
        defer { frames.removeLast() }
        let probe = SchemaProbe(self, type.schemaName, type.declaration, stored)
        _ = try probed(type, probe)
        guard case .members(let record) = probe.outcome else {
            throw underivable("it isn't decoded from an object with members")
        }
        return record
    }

    /// Returns `SchemaError.underivable` for the member that was requested last.
    func underivable(_ reason: String) -> SchemaError {
        SchemaError.underivable(type: frames.last?.name ?? "", member: frames.last?.member ?? "", reason: reason)
    }

    // MARK: - Samples

    /// Returns a value of a type: the stored value if the type can read it, otherwise the simplest value of the type.
    func sample<T: Decodable>(of type: T.Type, from stored: StoredElement?) throws -> T {
        if let stored, let value = try? StoredDecoder.value(type, at: stored) { return value }
        if let value = Self.scalarSamples[ObjectIdentifier(type)] as? T { return value }
        let made: Any? =
            switch type {
            case let type as any DerivedOptional.Type: type.absent
            case let type as any DerivedArray.Type: type.init()
            case let type as any DerivedSet.Type: type.init()
            case let type as any DerivedDictionary.Type: type.init()
            case let type as any DerivedReference.Type: try type.sample(self)
            case let type as any CaseIterable.Type: Self.firstCase(type)
            case let type as any RawRepresentable.Type: Self.anyCase(type)
            case let type as any ModelKey.Type: type.init(keyValue: .objectID(ObjectID())) ?? type.init(keyValue: 0)
            default: nil
            }
        if let value = made as? T { return value }
        if type is any RawRepresentable.Type {
            throw underivable("'\(type)' isn't CaseIterable: declare one of its values, .property(…, default: …)")
        }
        return try probe(type, from: stored).value
    }

    private static func firstCase<T: CaseIterable>(_ type: T.Type) -> T? { type.allCases.first }

    /// Returns a value of a `RawRepresentable` type, found by trying the raw values 0 to 16 and the empty string,
    /// because most types have a value with a small number or any text; nil if none of them is valid.
    private static func anyCase<T: RawRepresentable>(_ type: T.Type) -> T? {
        for number in 0...16 {
            let raw: T.RawValue? = (T.RawValue.self as? any FixedWidthInteger.Type).flatMap {
                $0.init(number) as? T.RawValue
            }
            if let raw, let value = T(rawValue: raw) { return value }
        }
        return ("" as? T.RawValue).flatMap { T(rawValue: $0) }
    }

    private static let scalarSamples: [ObjectIdentifier: any Sendable] = [
        ObjectIdentifier(Bool.self): false, ObjectIdentifier(String.self): "",
        ObjectIdentifier(Int.self): 0, ObjectIdentifier(Int8.self): Int8(0), ObjectIdentifier(Int16.self): Int16(0),
        ObjectIdentifier(Int32.self): Int32(0), ObjectIdentifier(Int64.self): Int64(0),
        ObjectIdentifier(UInt.self): UInt(0), ObjectIdentifier(UInt8.self): UInt8(0),
        ObjectIdentifier(UInt16.self): UInt16(0), ObjectIdentifier(UInt32.self): UInt32(0),
        ObjectIdentifier(UInt64.self): UInt64(0),
        ObjectIdentifier(Double.self): 0.0, ObjectIdentifier(Float.self): Float(0),
        ObjectIdentifier(Decimal.self): Decimal(0),
        ObjectIdentifier(Date.self): Date(timeIntervalSince1970: 0),
        ObjectIdentifier(DateTime.self): DateTime(milliseconds: 0),
        ObjectIdentifier(Data.self): Data(), ObjectIdentifier([UInt8].self): [UInt8](),
        ObjectIdentifier(Binary.self): Binary([]),
        ObjectIdentifier(UUID.self): UUID(), ObjectIdentifier(ObjectID.self): ObjectID(),
        ObjectIdentifier(Decimal128.self): Decimal128(0), ObjectIdentifier(Value.self): Value.null,
        ObjectIdentifier(DictionaryObject.self): DictionaryObject(), ObjectIdentifier(ArrayObject.self): ArrayObject(),
        ObjectIdentifier(BSON.self): BSON.null, ObjectIdentifier(MongoDocument.self): MongoDocument(),
        ObjectIdentifier(Timestamp.self): Timestamp(seconds: 0, increment: 0), ObjectIdentifier(Regex.self): Regex(""),
        ObjectIdentifier(GeoPoint.self): GeoPoint(latitude: 0, longitude: 0),
        ObjectIdentifier(URL.self): URL(filePath: "/"),
    ]
}
