public import FoundationEssentials
public import SealiteDatabase
internal import Synchronization

/// The values of a query's parameters, by their names without the `$`.
///
/// A parameter without a value is MISSING. A query copies the parameters that it is given, and isn't changed by what is set later. Any thread may use
/// parameters.
public final class Parameters: Sendable, Equatable {
    private let values: Mutex<[String: Value]>

    /// No values.
    public init() { values = Mutex([:]) }

    /// A copy of other parameters.
    public init(parameters: Parameters) {
        let copied = parameters.values.withLock { $0 }
        values = Mutex(copied)
    }

    /// The names that have a value, sorted.
    public var names: [String] { values.withLock { $0.keys.sorted() } }

    /// The values of the parameters that a query has, in their order; MISSING for those without one.
    static func values(_ parameters: Parameters?, _ names: [String]) throws -> [QueryValue] {
        if let unknown = parameters?.names.first(where: { !names.contains($0) }) {
            throw DatabaseError(
                .invalidParameter, "the query has no parameter '\(unknown)'",
                hint: names.isEmpty ? "it has none" : "it has \(names.map { "$\($0)" }.joined(separator: ", "))")
        }
        return try names.map { try parameters?.value(forName: $0).map { try QueryValue($0) } ?? .missing }
    }

    /// The blobs in the values.
    var blobs: [Blob] {
        var found: [Blob] = []
        for value in values.withLock({ Array($0.values) }) { Blob.collect(value, into: &found) }
        return found
    }

    /// Returns the value of a parameter; nil where it has none.
    public func value(forName name: String) -> Value? { values.withLock { $0[name] } }

    /// Returns whether both have the same values.
    public static func == (left: Parameters, right: Parameters) -> Bool {
        left.values.withLock { $0 } == right.values.withLock { $0 }
    }

    /// Sets a parameter to a value; nil is NULL.
    @discardableResult
    public func setValue(_ value: Value?, forName name: String) -> Parameters {
        values.withLock { $0[name] = value ?? .null }
        return self
    }

    /// Sets a parameter to text, or to NULL.
    @discardableResult
    public func setString(_ value: String?, forName name: String) -> Parameters {
        setValue(value.map { .string($0) }, forName: name)
    }

    /// Sets a parameter to a number, or to NULL.
    @discardableResult
    public func setNumber(_ value: Number?, forName name: String) -> Parameters {
        setValue(value.map { .number($0) }, forName: name)
    }

    /// Sets a parameter to an integer.
    @discardableResult
    public func setInt(_ value: Int, forName name: String) -> Parameters {
        setValue(Value(value), forName: name)
    }

    /// Sets a parameter to a 64-bit integer.
    @discardableResult
    public func setInt64(_ value: Int64, forName name: String) -> Parameters {
        setValue(Value(value), forName: name)
    }

    /// Sets a parameter to a floating-point number, which must be finite.
    @discardableResult
    public func setDouble(_ value: Double, forName name: String) -> Parameters {
        setValue(Value(value), forName: name)
    }

    /// Sets a parameter to a floating-point number, which must be finite.
    @discardableResult
    public func setFloat(_ value: Float, forName name: String) -> Parameters {
        setValue(.number(Number(json: value.description) ?? Number(Double(value))), forName: name)
    }

    /// Sets a parameter to true or false.
    @discardableResult
    public func setBoolean(_ value: Bool, forName name: String) -> Parameters {
        setValue(.boolean(value), forName: name)
    }

    /// Sets a parameter to a date as ISO 8601 text in milliseconds, as documents keep dates, or to NULL.
    @discardableResult
    public func setDate(_ value: Date?, forName name: String) -> Parameters {
        setValue(value.map { .date($0) }, forName: name)
    }

    /// Sets a parameter to the object that describes a blob, or to NULL.
    @discardableResult
    public func setBlob(_ value: Blob?, forName name: String) -> Parameters {
        setValue(value.map { .blob($0) }, forName: name)
    }

    /// Sets a parameter to an array, or to NULL.
    @discardableResult
    public func setArray(_ value: ArrayObject?, forName name: String) -> Parameters {
        setValue(value.map { .array($0) }, forName: name)
    }

    /// Sets a parameter to an object, or to NULL.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, forName name: String) -> Parameters {
        setValue(value.map { .dictionary($0) }, forName: name)
    }
}
