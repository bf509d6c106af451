public import FoundationEssentials
internal import SealiteBase
public import SealiteDatabase
internal import Synchronization

/// The values of a query's parameters, by their names without the `$`.
///
/// A parameter without a value is MISSING. A query copies the parameters that are assigned to it; later changes don't
/// affect it. Parameters may be used from any thread.
public final class Parameters: Sendable, Equatable {
    private struct State {
        var values: [String: Value] = [:]
        /// The reasons why values that were set can't be used in a query, by the names of the parameters.
        var unusable: [String: String] = [:]
    }

    private let state: Mutex<State>

    /// Creates parameters without values.
    public init() { state = Mutex(State()) }

    /// Creates a copy of other parameters; if these are nil, creates parameters without values.
    public init(parameters: Parameters?) {
        let copied = parameters?.state.withLock { $0 }
        state = Mutex(copied ?? State())
    }

    /// The names of the parameters with a value, sorted.
    public var names: [String] { state.withLock { $0.values.keys.sorted() } }

    /// Returns the values of the given parameters of a statement for one execution of it, in their order, without one
    /// for the counters of visited rows; MISSING for parameters without a value. The present time is that of `time`.
    ///
    /// - Throws: `invalidParameter` if a parameter with a value isn't among them, or if any parameter was set to a value
    ///   that can't be used.
    static func values(
        _ parameters: Parameters?, _ asked: [StatementParameter], _ time: any TimeSource
    ) throws -> [QueryValue] {
        let names = asked.compactMap(\.name)
        if let unknown = parameters?.names.first(where: { !names.contains($0) }) {
            throw DatabaseError(
                .invalidParameter, "the query has no parameter '\(unknown)'",
                hint: names.isEmpty ? "it has none" : "it has \(names.map { "$\($0)" }.joined(separator: ", "))")
        }
        if let (name, reason) = parameters?.state.withLock({ $0.unusable.min { $0.key < $1.key } }) {
            throw DatabaseError(
                .invalidParameter, "the parameter '\(name)' was set to a value that a query can't contain: \(reason)")
        }
        return try asked.compactMap { parameter in
            switch parameter {
            case .named(let name):
                let value: Value? = parameters?.value(forName: name)
                return try value.map { try QueryValue($0) } ?? .missing
            case .time: return .integer(time.unixMilliseconds)
            case .visits: return nil
            }
        }
    }

    /// Removes the value of a parameter, and records that it was set to one that JSON can't express, so that a query with
    /// it fails.
    func setUnusable(_ reason: String, forName name: String) -> Parameters {
        state.withLock { state in
            state.values[name] = nil
            state.unusable[name] = reason
        }
        return self
    }

    /// The blobs in the values of all parameters, including those nested in arrays and objects.
    var blobs: [Blob] {
        var found: [Blob] = []
        for value in state.withLock({ Array($0.values.values) }) { Blob.collect(value, into: &found) }
        return found
    }

    /// Returns the value of a parameter; nil if none was set.
    public func value(forName name: String) -> Value? { state.withLock { $0.values[name] } }

    /// Returns whether two sets of parameters have the same names with the same values.
    public static func == (left: Parameters, right: Parameters) -> Bool {
        left.state.withLock { $0.values } == right.state.withLock { $0.values }
    }

    /// Returns whether a query behaves in the same way with these parameters as with others: the same ones have the
    /// same values, and the same ones were set to values that can't be used, for the same reasons.
    func isIdentical(to other: Parameters) -> Bool {
        let (mine, others) = (state.withLock { $0 }, other.state.withLock { $0 })
        return mine.values == others.values && mine.unusable == others.unusable
    }

    /// Sets a parameter to a value; nil is NULL.
    @discardableResult
    public func setValue(_ value: Value?, forName name: String) -> Parameters {
        state.withLock { state in
            state.values[name] = value ?? .null
            state.unusable[name] = nil
        }
        return self
    }

    /// Sets a parameter to text; nil is NULL.
    @discardableResult
    public func setString(_ value: String?, forName name: String) -> Parameters {
        setValue(value.map { .string($0) }, forName: name)
    }

    /// Sets a parameter to a number; nil is NULL.
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

    /// Sets a parameter to a floating-point number, which must be finite; otherwise executing the query fails.
    @discardableResult
    public func setDouble(_ value: Double, forName name: String) -> Parameters {
        setValue(Value(value), forName: name)
    }

    /// Sets a parameter to a floating-point number, which must be finite; otherwise executing the query fails.
    @discardableResult
    public func setFloat(_ value: Float, forName name: String) -> Parameters {
        setValue(.number(Number(json: value.description) ?? Number(Double(value))), forName: name)
    }

    /// Sets a parameter to a Boolean.
    @discardableResult
    public func setBoolean(_ value: Bool, forName name: String) -> Parameters {
        setValue(.boolean(value), forName: name)
    }

    /// Sets a parameter to a date in a stored form, which should be the form of the dates that it is compared with; nil
    /// is NULL.
    @discardableResult
    public func setDate(_ value: Date?, forName name: String, form: ValueForm = .typed) -> Parameters {
        setValue(value.map { .date($0, form: form) }, forName: name)
    }

    /// Sets a parameter to the object that describes a blob; nil is NULL.
    @discardableResult
    public func setBlob(_ value: Blob?, forName name: String) -> Parameters {
        setValue(value.map { .blob($0) }, forName: name)
    }

    /// Sets a parameter to an array; nil is NULL.
    @discardableResult
    public func setArray(_ value: ArrayObject?, forName name: String) -> Parameters {
        setValue(value.map { .array($0) }, forName: name)
    }

    /// Sets a parameter to an object; nil is NULL.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, forName name: String) -> Parameters {
        setValue(value.map { .dictionary($0) }, forName: name)
    }
}
