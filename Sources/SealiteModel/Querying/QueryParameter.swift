public import Foundation
public import SealiteDatabase
public import SealiteValues

/// A value for a parameter of a query over objects, in the stored form of members of its type.
public protocol QueryParameter: Sendable {
    /// Returns the value in the form in which conditions see members of its type.
    ///
    /// - Throws: `StoredValueError` and `DatabaseError` for a value that a document can't contain.
    func queryValue() throws -> Value
}

extension Value: QueryParameter {
    /// Returns the value itself.
    public func queryValue() -> Value { self }
}

extension String: QueryParameter {
    /// Returns the text as a query value.
    public func queryValue() -> Value { .string(self) }
}

extension Bool: QueryParameter {
    /// Returns the Boolean as a query value.
    public func queryValue() -> Value { .boolean(self) }
}

extension Int: QueryParameter {
    /// Returns the integer as a query value.
    public func queryValue() -> Value { Value(self) }
}

extension Int32: QueryParameter {
    /// Returns the integer as a query value.
    public func queryValue() -> Value { Value(self) }
}

extension Int64: QueryParameter {
    /// Returns the integer as a query value.
    public func queryValue() -> Value { Value(self) }
}

extension Double: QueryParameter {
    /// Returns the number as a query value.
    public func queryValue() -> Value { Value(self) }
}

extension BSON: QueryParameter {
    /// Returns the value in its stored form: Extended JSON if JSON can't express it.
    public func queryValue() throws -> SealiteDatabase.Value {
        guard let value = SealiteDatabase.Value(jsonb: try stored(), database: nil) else {
            throw DatabaseError(.invalidParameter, "a value of type \(type.alias) can't be a parameter")
        }
        return value
    }
}

extension ObjectID: QueryParameter {
    /// Returns the JSON object that represents the ID in documents, `{"$oid": …}`.
    public func queryValue() throws -> Value { try bson.queryValue() }
}

extension Decimal: QueryParameter {
    /// Returns the number as a query value, with all its digits.
    public func queryValue() throws -> Value {
        guard let number = Number(json: description) else {
            throw DatabaseError(.invalidParameter, "NaN can't be a parameter")
        }
        return .number(number)
    }
}

extension Decimal128: QueryParameter {
    /// Returns the JSON object that represents the number in documents, `{"$numberDecimal": …}`.
    public func queryValue() throws -> Value { try bson.queryValue() }
}

extension UUID: QueryParameter {
    /// Returns the JSON object that represents the UUID in documents.
    public func queryValue() throws -> Value { try keyValue.queryValue() }
}

extension Data: QueryParameter {
    /// Returns the JSON object that represents the bytes in documents.
    public func queryValue() throws -> Value { try BSON.binary(Binary(Array(self))).queryValue() }
}

extension Date: QueryParameter {
    /// Returns the JSON object that represents the time in documents, in milliseconds.
    public func queryValue() throws -> Value {
        guard let time = DateTime(self) else {
            throw DatabaseError(.invalidParameter, "the milliseconds of a date don't fit 64 bits")
        }
        return try BSON.datetime(time).queryValue()
    }
}

extension Reference: QueryParameter {
    /// Returns the primary key of the linked object, in its stored form.
    public func queryValue() throws -> Value { try id.keyValue.queryValue() }
}

extension Optional: QueryParameter where Wrapped: QueryParameter {
    /// Returns the value, or null.
    public func queryValue() throws -> Value { try map { try $0.queryValue() } ?? .null }
}

extension Array: QueryParameter where Element: QueryParameter {
    /// Returns the elements as an array.
    public func queryValue() throws -> Value { .array(ArrayObject(try map { try $0.queryValue() })) }
}
