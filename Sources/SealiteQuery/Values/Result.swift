public import FoundationEssentials
public import SealiteDatabase
internal import SealiteJSON

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
    /// Returns the date in a column, by its position from 0, in either stored form (`ValueForm`); nil for any other
    /// value and if there is no such column.
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
    public func toJSON() throws -> String { try ResultText.json(of: self) }

    /// Returns the row as a value of a `Decodable` type: each property is decoded from the column with its name or, if
    /// there is none, from the member with its name of the object in the column `dataKey`. For a query with SELECT
    /// VALUE, the properties are decoded from the members of the value.
    ///
    /// - Throws: `decodingFailed`, which names the column, if a column is missing or has another type, a number doesn't
    ///   fit, or the column `dataKey` has no object.
    public func data<T: Decodable>(as type: T.Type, dataKey: String? = nil) throws -> T {
        let context = DecodingContext(CodingRules(.documents), database: database)
        return try DocumentCoding.decode(type, from: object(dataKey), context, of: "a row of the result")
    }

    /// Returns the object, in JSONB, from whose members the row is decoded.
    private func object(_ dataKey: String?) throws -> [UInt8] {
        var data: [UInt8]?
        if columns.isValue { data = object(at: 0) ?? [JSONBType.object] }
        if let dataKey {
            guard let found = columns.position(dataKey).flatMap({ object(at: $0) }) else {
                throw DatabaseError(
                    .decodingFailed,
                    "a row of the result has no object in the column \"\(dataKey)\", which dataKey names")
            }
            data = found
        }
        if columns.isValue, let data { return data }
        var writer = JSONBWriter(capacity: 256)
        let begun = writer.begin(guess: 100)
        if let data, let root = JSONBElement(root: data.span) {
            var offset = root.start
            while let member = ObjectMember(data.span, at: offset, limit: root.end) {
                // A column replaces the member with its name.
                let name = String(decoding: data[member.name.start..<member.name.end], as: UTF8.self)
                let place = name == dataKey ? nil : columns.position(name)
                if place.map({ values[$0] == .missing }) ?? true {
                    writer.raw(data.span, offset, member.value.end)
                }
                offset = member.value.end
            }
        }
        for (name, value) in zip(columns.names, values) where name != dataKey { value.write(name, to: &writer) }
        writer.end(JSONBType.object, begun)
        return writer.bytes
    }

    /// Returns the JSONB of the object in a column by its position, from 0; nil for any other value.
    private func object(at index: Int) -> [UInt8]? {
        guard let bytes = element(at: index), JSONBElement(root: bytes.span)?.type == JSONBType.object else {
            return nil
        }
        return bytes
    }
}

/// The columns of a query's result, shared by all its rows.
final class ResultColumns: Sendable {
    let names: [String]
    /// A Boolean value that says whether the query has SELECT VALUE: each row is the value of its only column.
    let isValue: Bool
    private let positions: [String: Int]

    init(_ names: [String], isValue: Bool) {
        self.names = names
        self.isValue = isValue
        positions = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
    }

    func position(_ name: String) -> Int? { positions[name] }
}

/// A value in a result, accessed by subscripts: `result["address"]["city"].string`. If there is no value, the
/// properties are nil, 0 or false.
public struct Fragment: Sendable {
    /// The value itself; nil if there is none.
    public let value: Value?

    /// A Boolean value that says whether there is a value, NULL included.
    public var exists: Bool { value != nil }

    /// The value as text; nil if there is none or it has another type.
    public var string: String? { value?.string }
    /// The value as a number; nil if there is none or it has another type.
    public var number: Number? { value?.number }
    /// The value as an integer, converted as by `Value.int64`; 0 if there is none.
    public var int: Int { value?.int ?? 0 }
    /// The value as an integer, converted as by `Value.int64`; 0 if there is none.
    public var int64: Int64 { value?.int64 ?? 0 }
    /// The value as a number in single precision, converted as by `Value.double`; 0 if there is none.
    public var float: Float { value?.float ?? 0 }
    /// The value as a double, converted as by `Value.double`; 0 if there is none.
    public var double: Double { value?.double ?? 0 }
    /// The value as a Boolean, converted as by `Value.boolean`; false if there is none.
    public var boolean: Bool { value?.boolean ?? false }
    /// The value as a date, if it is one in either stored form (`ValueForm`); nil for any other value, and if there is
    /// none.
    public var date: Date? { value?.date }
    /// The value as a blob; nil if there is none or it has another type.
    public var blob: Blob? { value?.blob }
    /// The value as an array; nil if there is none or it has another type.
    public var array: ArrayObject? { value?.array }
    /// The value as an object; nil if there is none or it has another type.
    public var dictionary: DictionaryObject? { value?.dictionary }

    /// The fragment for the item with an index, from 0, of the value, which is an array; without a value if there is no
    /// such item.
    public subscript(index: Int) -> Fragment {
        guard let array, array.indices.contains(index) else { return Fragment(value: nil) }
        return Fragment(value: array[index])
    }

    /// The fragment for the member with a name of the value, which is an object; without a value if there is no such
    /// member.
    public subscript(key: String) -> Fragment { Fragment(value: dictionary?.value(forKey: key)) }
}

extension Result: Sequence {
    /// The fragment for the value of a column by its position, from 0; without a value if it is MISSING or there is no
    /// such column.
    public subscript(index: Int) -> Fragment { Fragment(value: value(at: index)) }

    /// The fragment for the value of a column by its name; without a value if it is MISSING or there is no such column.
    public subscript(key: String) -> Fragment { Fragment(value: value(forKey: key)) }

    /// Returns an iterator over ``keys``, the names of the columns with a value.
    public func makeIterator() -> IndexingIterator<[String]> { keys.makeIterator() }
}

extension Result {
    /// Returns the values of the row's columns as texts, in the order of the columns.
    ///
    /// - Throws: `corruptData` if a stored value is damaged.
    package func texts() throws -> [ColumnText] {
        try values.map { value in
            switch value {
            case .missing: .missing
            case .integer, .real: .number(try ResultText.json(of: value))
            case .text(let text): .text(text)
            case .element: .json(try ResultText.json(of: value))
            }
        }
    }
}

/// Converts rows of results, and their values, to JSON text.
enum ResultText {
    /// Returns a result row as JSON text: an object with a member for each column that isn't MISSING or, for SELECT
    /// VALUE, the value, null for MISSING.
    static func json(of row: Result) throws -> String {
        if row.columns.isValue, let value = row.values.first { return try json(of: value) }
        var members: [String] = []
        for (name, value) in zip(row.columns.names, row.values) where value != .missing {
            members.append("\(try json(of: .text(name))):\(try json(of: value))")
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// Returns a value as JSON text; null for MISSING.
    static func json(of value: QueryValue) throws -> String {
        switch value {
        case .missing: return "null"
        case .integer(let integer): return String(integer)
        case .real(let double): return double.description
        case .text(let text):
            var writer = JSONBWriter(capacity: text.utf8.count + 8)
            writer.string(text)
            return try self.text(of: writer.bytes)
        case .element(let bytes): return try text(of: bytes)
        }
    }

    private static func text(of bytes: [UInt8]) throws -> String {
        guard let text = try? JSONBSerializer.text(of: bytes.span) else {
            throw DatabaseError(.corruptData, "a value in the query's result is damaged: it can't be converted to JSON")
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The value of a result's column as text, for programs that show rows.
package enum ColumnText: Sendable, Equatable {
    /// The column has no value: it is MISSING.
    case missing
    /// A number that a 64-bit integer or a double holds exactly, as JSON text.
    case number(String)
    case text(String)
    /// NULL, true, false, an array, an object, or any other number, as JSON text.
    case json(String)
}
