public import FoundationEssentials
public import SealiteDatabase

/// The columns that all rows of a result share.
final class ResultColumns: Sendable {
    let names: [String]
    /// A Boolean value that says whether each row is the value of its one column.
    let isValue: Bool
    private let positions: [String: Int]

    init(_ names: [String], isValue: Bool) {
        self.names = names
        self.isValue = isValue
        positions = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
    }

    func position(_ name: String) -> Int? { positions[name] }
}

/// One row of a query's result: values by the names of the columns, and by their positions from 0.
///
/// A column whose value is MISSING has no value: it isn't among ``keys``, `contains(key:)` is false and getters read nil, 0 or false. NULL is a value.
public struct Result: Sendable, PropertyContainer {
    let columns: ResultColumns
    let values: [QueryValue]
    let database: Database

    /// The names of the columns that have a value, in their order.
    public var keys: [String] { columns.names.indices.filter { values[$0] != .missing }.map { columns.names[$0] } }

    /// The number of columns that have a value.
    public var count: Int { values.count { $0 != .missing } }

    /// Returns the value of a column; nil where it has none or there is no such column.
    public func value(forKey key: String) -> Value? { columns.position(key).flatMap { value(at: $0) } }

    /// Returns the value of a column by its position; nil where it has none or there is no such column.
    public func value(at index: Int) -> Value? {
        values.indices.contains(index) ? values[index].value(database) : nil
    }

    /// The text of a column; nil for anything else.
    public func string(at index: Int) -> String? { value(at: index)?.string }
    /// The number of a column; nil for anything else.
    public func number(at index: Int) -> Number? { value(at: index)?.number }
    /// The integer of a column; see ``Value/int64``.
    public func int(at index: Int) -> Int { value(at: index)?.int ?? 0 }
    /// The integer of a column; see ``Value/int64``.
    public func int64(at index: Int) -> Int64 { value(at: index)?.int64 ?? 0 }
    /// The number of a column in single precision; see ``Value/double``.
    public func float(at index: Int) -> Float { value(at: index)?.float ?? 0 }
    /// The number of a column; see ``Value/double``.
    public func double(at index: Int) -> Double { value(at: index)?.double ?? 0 }
    /// The truth of a column; see ``Value/boolean``.
    public func boolean(at index: Int) -> Bool { value(at: index)?.boolean ?? false }
    /// The date of a column whose text is one in ISO 8601; nil for anything else.
    public func date(at index: Int) -> Date? { value(at: index)?.date }
    /// The blob of a column; nil for anything else.
    public func blob(at index: Int) -> Blob? { value(at: index)?.blob }
    /// The array of a column; nil for anything else.
    public func array(at index: Int) -> ArrayObject? { value(at: index)?.array }
    /// The object of a column; nil for anything else.
    public func dictionary(at index: Int) -> DictionaryObject? { value(at: index)?.dictionary }

    /// The JSONB of a column whose value is an array or an object; nil for anything else.
    package func element(at index: Int) -> [UInt8]? {
        guard values.indices.contains(index), case .element(let bytes) = values[index] else { return nil }
        return bytes
    }

    /// The values of all columns in their order; NULL in the place of MISSING.
    public func toArray() -> [Value] { values.map { $0.value(database) ?? .null } }

    /// The values by the names of their columns, without those that are MISSING.
    public func toDictionary() -> DictionaryObject {
        var row = DictionaryObject()
        for (name, value) in zip(columns.names, values) {
            if let value = value.value(database) { row[name] = value }
        }
        return row
    }

    /// The row as the text of a JSON object, without columns that are MISSING. Of a query with SELECT VALUE it is the value itself.
    ///
    /// - Throws: `corruptData` where a stored value is damaged.
    public func toJSON() throws -> String { try QueryText.json(of: self) }

    /// Returns the row as a value of a `Decodable` type: each property from the column of its name, or from the members of the object in the column `dataKey`.
    /// Of a query with SELECT VALUE, from the members of the value.
    ///
    /// - Throws: `decodingFailed`, which names the column: where it is missing or of another type, numbers that don't fit included.
    public func data<T: Decodable>(as type: T.Type, dataKey: String? = nil) throws -> T {
        var members = DictionaryObject()
        if columns.isValue, case .dictionary(let whole)? = value(at: 0) { members = whole }
        if let dataKey {
            guard case .dictionary(let data)? = value(forKey: dataKey) else {
                throw DatabaseError(.decodingFailed, "the result has no object in the column \"\(dataKey)\"")
            }
            members = data
        }
        if !columns.isValue {
            for (name, value) in toDictionary().entries where name != dataKey { members[name] = value }
        }
        return try members.decode(as: type, of: "a row of the result")
    }
}
