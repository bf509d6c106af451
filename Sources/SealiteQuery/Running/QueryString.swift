public import SealiteDatabase
internal import SealiteJSON
public import FoundationEssentials

/// The text of a query in which interpolated values become parameters, so that none of them is parsed as a part of the
/// query.
///
/// ```swift
/// let query = try database.createQuery("SELECT name FROM people WHERE age > \(age) AND city = \(city)")
/// ```
public struct QueryString: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// The text of the query, with names of parameters instead of the values.
    public let text: String
    /// The interpolated values, by the names of their parameters.
    public let parameters: Parameters

    /// Creates a text without values.
    public init(_ text: String) { (self.text, parameters) = (text, Parameters()) }

    /// Creates a text from a literal without values.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates a text from a literal with values.
    public init(stringInterpolation: Interpolation) {
        (text, parameters) = (stringInterpolation.text, stringInterpolation.parameters)
    }

    /// The parts of a literal with values.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate let parameters = Parameters()

        /// Starts a literal.
        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        /// Appends a part of the query.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Appends a value as a parameter; nil is NULL.
        public mutating func appendInterpolation(_ value: Value?) {
            let name = "value\(parameters.names.count + 1)"
            parameters.setValue(value, forName: name)
            text += "$\(name)"
        }

        /// Appends a string as a parameter; nil is NULL.
        public mutating func appendInterpolation(_ value: String?) {
            appendInterpolation(value.map { Value.string($0) })
        }
        /// Appends an integer as a parameter.
        public mutating func appendInterpolation(_ value: some BinaryInteger) { appendInterpolation(Value(value)) }
        /// Appends a number as a parameter.
        public mutating func appendInterpolation(_ value: Double) { appendInterpolation(Value(value)) }
        /// Appends a Boolean as a parameter.
        public mutating func appendInterpolation(_ value: Bool) { appendInterpolation(Value.boolean(value)) }
        /// Appends a date as a parameter, in ISO 8601; nil is NULL.
        public mutating func appendInterpolation(_ value: Date?) { appendInterpolation(value.map { Value.date($0) }) }
        /// Appends an array of strings as a parameter.
        public mutating func appendInterpolation(_ values: [String]) {
            appendInterpolation(Value.array(ArrayObject(values.map { .string($0) })))
        }

        /// Appends a name, such as that of a property or a collection, in backquotes.
        public mutating func appendInterpolation(name: String) {
            text += name.quoted("`")
        }
    }
}

extension Database {
    /// Creates a query from a literal in SQL++ whose interpolated values are parameters.
    ///
    /// - Throws: `invalidQuery`, with the position and the expected syntax.
    public func createQuery(_ query: QueryString) throws -> Query {
        let made = try createQuery(query.text as String)
        if !query.parameters.names.isEmpty { made.parameters = query.parameters }
        return made
    }
}
