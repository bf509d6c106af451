internal import Foundation
internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteValues

extension StoredDecoder {
    /// Reads a value of any type: a type with a stored form of its own is read from this form, any other type through
    /// its `Decodable` conformance.
    func read<T: Decodable>(
        _ type: T.Type, at place: StoredElement, _ plan: ValuePlan, _ key: (any CodingKey)?
    ) throws -> T {
        guard plan.hasOwnForm else { return try T(from: decoder(place, plan, key)) }
        if type == String.self { return try same(place.string, type, key, place) }
        if type == Int.self { return try same(place.integer(Int.self), type, key, place) }
        if type == Double.self { return try same(place.double, type, key, place) }
        if type == Bool.self { return try same(place.bool, type, key, place) }
        if type == ObjectID.self { return try same(place.objectID, type, key, place) }
        if type == Date.self { return try same(place.date, type, key, place) }
        if type == UUID.self { return try same(place.uuid, type, key, place) }
        if type == Value.self { return try same(place.value(context.database), type, key, place) }
        if type == Decimal128.self { return try same(place.decimal128, type, key, place) }
        if type == Data.self { return try same(place.data, type, key, place) }
        if type == [UInt8].self { return try same(place.binary?.bytes, type, key, place) }
        if let found = rareScalar(type, place, plan) {
            guard let value = found else { throw mismatch(type, key, place) }
            return value
        }
        return try T(from: decoder(place, plan, key))
    }

    /// Returns the decoder for a value of a type that reads its content itself (`init(from:)`).
    private func decoder(_ place: StoredElement, _ plan: ValuePlan, _ key: (any CodingKey)?) -> StoredDecoder {
        key.map { StoredDecoder(place, plan.inside, below: self, $0) } ?? self
    }

    /// Returns a value as `T`, which is the value's own type. The cast isn't to an optional type, whose metadata the
    /// runtime would look up each time.
    ///
    /// - Throws: `DecodingError` if the value is nil.
    @inline(__always)
    private func same<Own, T>(
        _ value: Own?, _ type: T.Type, _ key: (any CodingKey)?, _ place: StoredElement
    ) throws -> T {
        guard let value, let same = value as? T else { throw mismatch(type, key, place) }
        return same
    }

    /// Reads a value of one of the rarer types with a stored form of their own.
    ///
    /// - Returns: nil if `type` isn't one of these types; `.some(nil)` if it is, but the stored value is of another
    ///   type.
    private func rareScalar<T>(_ type: T.Type, _ place: StoredElement, _ plan: ValuePlan) -> T?? {
        if case .link = plan, let link = type as? any StoredKeyReading.Type {
            return .some(link.init(stored: place) as? T)
        }
        return switch type {
        case is Decimal.Type: .some(place.decimal as? T)
        case is URL.Type: .some(place.string.flatMap { URL(string: $0) } as? T)
        case is DictionaryObject.Type: .some(place.value(context.database)?.object as? T)
        case is ArrayObject.Type: .some(place.value(context.database)?.array as? T)
        case is Blob.Type: .some(place.value(context.database)?.blob as? T)
        case is any BSONConvertible.Type: .some(converted(type, place))
        case let type as any ModelKey.Type: .some(place.bson.flatMap { type.init(keyValue: $0) } as? T)
        default: .none
        }
    }

    private func converted<T>(_ type: T.Type, _ place: StoredElement) -> T? {
        guard let type = type as? any BSONConvertible.Type, let bson = place.bson else { return nil }
        return type.init(bson: bson) as? T
    }
}

extension Reference: StoredKeyReading {
    init?(stored place: StoredElement) {
        guard let key = place.bson, let id = Target.ID(keyValue: key) else { return nil }
        self.init(id: id)
    }
}
