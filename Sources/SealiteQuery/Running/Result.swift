public import FoundationEssentials
public import SealiteDatabase

/// One row of a query's result: values by the names of the columns, and by their positions from 0.
///
/// A column whose value is MISSING has no value: it isn't among ``keys``, `contains(key:)` is false, and getters return
/// nil, 0 or false. NULL is a value.
public struct Result: Sendable, PropertyContainer {
    let columns: ResultColumns
    let values: [QueryValue]
    let database: Database

    /// The names of the columns with a value, in their order.
    public var keys: [String] { columns.names.indices.filter { values[$0] != .missing }.map { columns.names[$0] } }

    /// The number of columns with a value.
    public var count: Int { values.count { $0 != .missing } }

    /// Returns the value of a column by its name; nil if the value is MISSING or there is no such column.
    public func value(forKey key: String) -> Value? { columns.position(key).flatMap { value(at: $0) } }

    /// Returns the value of a column by its position, from 0; nil if the value is MISSING or there is no such column.
    public func value(at index: Int) -> Value? {
        values.indices.contains(index) ? values[index].value(database) : nil
    }

    /// Returns the text in a column by its position, from 0; nil for any other value and if there is no such column.
    public func string(at index: Int) -> String? { value(at: index)?.string }
    /// Returns the number in a column by its position, from 0; nil for any other value and if there is no such column.
    public func number(at index: Int) -> Number? { value(at: index)?.number }
    /// Returns the value of a column by its position, from 0, as an integer, converted as by `Value.int64`; 0 if it has
    /// none or doesn't exist.
    public func int(at index: Int) -> Int { value(at: index)?.int ?? 0 }
    /// Returns the value of a column by its position, from 0, as an integer, converted as by `Value.int64`; 0 if it has
    /// none or doesn't exist.
    public func int64(at index: Int) -> Int64 { value(at: index)?.int64 ?? 0 }
    /// Returns the value of a column by its position, from 0, as a number in single precision, converted as by
    /// `Value.double`; 0 if it has none or doesn't exist.
    public func float(at index: Int) -> Float { value(at: index)?.float ?? 0 }
    /// Returns the value of a column by its position, from 0, as a double, converted as by `Value.double`; 0 if it has
    /// none or doesn't exist.
    public func double(at index: Int) -> Double { value(at: index)?.double ?? 0 }
    /// Returns the value of a column by its position, from 0, as a Boolean, converted as by `Value.boolean`; false if
    /// it has none or doesn't exist.
    public func boolean(at index: Int) -> Bool { value(at: index)?.boolean ?? false }
    /// Returns the date in a column, by its position from 0, in either stored form (`ValueForm`); nil for any other value
    /// and if there is no such column.
    public func date(at index: Int) -> Date? { value(at: index)?.date }
    /// Returns the blob in a column by its position, from 0; nil for any other value and if there is no such column.
    public func blob(at index: Int) -> Blob? { value(at: index)?.blob }
    /// Returns the array in a column by its position, from 0; nil for any other value and if there is no such column.
    public func array(at index: Int) -> ArrayObject? { value(at: index)?.array }
    /// Returns the object in a column by its position, from 0; nil for any other value and if there is no such column.
    public func dictionary(at index: Int) -> DictionaryObject? { value(at: index)?.dictionary }

    /// Returns the JSONB of the value in a column by its position, from 0, if it is an array, an object, NULL, a
    /// Boolean, or a number that neither a 64-bit integer nor a double holds exactly; nil for any other value.
    package func element(at index: Int) -> [UInt8]? {
        guard values.indices.contains(index), case .element(let bytes) = values[index] else { return nil }
        return bytes
    }

    /// Returns the values of all columns in their order; NULL in place of MISSING.
    public func toArray() -> [Value] { values.map { $0.value(database) ?? .null } }

    /// Returns the values of the row by the names of their columns, without those that are MISSING.
    public func toDictionary() -> DictionaryObject {
        var row = DictionaryObject()
        for (name, value) in zip(columns.names, values) {
            if let value = value.value(database) { row[name] = value }
        }
        return row
    }

    /// Returns the row as the text of a JSON object, without columns that are MISSING. For a query with SELECT VALUE it
    /// is the value itself, null for MISSING.
    ///
    /// - Throws: `corruptData` if a stored value is damaged.
    public func toJSON() throws -> String { try QueryText.json(of: self) }

    /// Returns the row as a value of a `Decodable` type: each property is decoded from the column with its name or, if
    /// there is none, from the member with its name of the object in the column `dataKey`. For a query with SELECT
    /// VALUE, the properties are decoded from the members of the value.
    ///
    /// - Throws: `decodingFailed`, which names the column, if a column is missing or has another type, a number doesn't
    ///   fit, or the column `dataKey` has no object.
    public func data<T: Decodable>(as type: T.Type, dataKey: String? = nil) throws -> T {
        var members = DictionaryObject()
        if columns.isValue, case .dictionary(let whole)? = value(at: 0) { members = whole }
        if let dataKey {
            guard case .dictionary(let data)? = value(forKey: dataKey) else {
                throw DatabaseError(
                    .decodingFailed,
                    "a row of the result has no object in the column \"\(dataKey)\", which dataKey names")
            }
            members = data
        }
        if !columns.isValue {
            for (name, value) in toDictionary().entries where name != dataKey { members[name] = value }
        }
        return try members.decode(as: type, of: "a row of the result")
    }
}
