public import FoundationEssentials
public import SealiteDatabase

/// The values of a query's parameters, by their names without the `$`.
///
/// A parameter without a value is MISSING. A value type: what a query got isn't changed by changing a copy.
public struct Parameters: Sendable, Equatable {
    private var values: [String: Value] = [:]

    /// No values.
    public init() {}

    /// A copy of other parameters.
    public init(parameters: Parameters) { self = parameters }

    /// The names that have a value, sorted.
    public var names: [String] { values.keys.sorted() }

    /// Returns the value of a parameter; nil where it has none.
    public func value(forName name: String) -> Value? { values[name] }

    /// Sets a parameter to a value; nil is NULL.
    @discardableResult
    public mutating func setValue(_ value: Value?, forName name: String) -> Parameters {
        values[name] = value ?? .null
        return self
    }

    /// Sets a parameter to text, or to NULL.
    @discardableResult
    public mutating func setString(_ value: String?, forName name: String) -> Parameters {
        setValue(value.map { .string($0) }, forName: name)
    }

    /// Sets a parameter to a number, or to NULL.
    @discardableResult
    public mutating func setNumber(_ value: Number?, forName name: String) -> Parameters {
        setValue(value.map { .number($0) }, forName: name)
    }

    /// Sets a parameter to an integer.
    @discardableResult
    public mutating func setInt(_ value: Int, forName name: String) -> Parameters {
        setValue(Value(value), forName: name)
    }

    /// Sets a parameter to a 64-bit integer.
    @discardableResult
    public mutating func setInt64(_ value: Int64, forName name: String) -> Parameters {
        setValue(Value(value), forName: name)
    }

    /// Sets a parameter to a floating-point number, which must be finite.
    @discardableResult
    public mutating func setDouble(_ value: Double, forName name: String) -> Parameters {
        setValue(Value(value), forName: name)
    }

    /// Sets a parameter to a floating-point number, which must be finite.
    @discardableResult
    public mutating func setFloat(_ value: Float, forName name: String) -> Parameters {
        setValue(.number(Number(json: value.description) ?? Number(Double(value))), forName: name)
    }

    /// Sets a parameter to true or false.
    @discardableResult
    public mutating func setBoolean(_ value: Bool, forName name: String) -> Parameters {
        setValue(.boolean(value), forName: name)
    }

    /// Sets a parameter to a date as ISO 8601 text in milliseconds, as documents keep dates, or to NULL.
    @discardableResult
    public mutating func setDate(_ value: Date?, forName name: String) -> Parameters {
        setValue(value.map { .date($0) }, forName: name)
    }

    /// Sets a parameter to the object that describes a blob, or to NULL.
    @discardableResult
    public mutating func setBlob(_ value: Blob?, forName name: String) -> Parameters {
        setValue(value.map { .blob($0) }, forName: name)
    }

    /// Sets a parameter to an array, or to NULL.
    @discardableResult
    public mutating func setArray(_ value: ArrayObject?, forName name: String) -> Parameters {
        setValue(value.map { .array($0) }, forName: name)
    }

    /// Sets a parameter to an object, or to NULL.
    @discardableResult
    public mutating func setDictionary(_ value: DictionaryObject?, forName name: String) -> Parameters {
        setValue(value.map { .dictionary($0) }, forName: name)
    }
}
