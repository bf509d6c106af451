public import FoundationEssentials
public import SealiteDatabase
internal import SealiteFile
internal import SealiteJSON
internal import SealiteQueryLanguage

/// The text of a query in which interpolated values become parameters, so that none of them is parsed as a part of the
/// query.
///
/// ```swift
/// let query = try database.createQuery("SELECT name FROM people WHERE age > \(age) AND city = \(city)")
/// ```
public struct QueryString: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// The text of the query, with the names of parameters in place of the interpolated values.
    public let text: String
    /// The interpolated values, by the names of their parameters.
    public let parameters: Parameters

    /// Creates the text of a query without interpolated values.
    public init(_ text: String) { (self.text, parameters) = (text, Parameters()) }

    /// Creates the text of a query from a string literal without interpolated values.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates the text of a query from a string literal with interpolated values.
    public init(stringInterpolation: Interpolation) {
        let parts = stringInterpolation.parts
        let prefix = Self.prefix(of: parts)
        let parameters = Parameters()
        var text = ""
        for part in parts {
            switch part {
            case .text(let literal): text += literal
            case .value(let value):
                let name = "\(prefix)\(parameters.names.count + 1)"
                assert(!parameters.names.contains(name), "each value is a parameter of its own")
                parameters.setValue(value, forName: name)
                text += "$\(name)"
            }
        }
        (self.text, self.parameters) = (text, parameters)
    }

    /// Returns the beginning of the names of the parameters: names that the literal's own text doesn't contain.
    private static func prefix(of parts: [Interpolation.Part]) -> String {
        var (texts, valueCount): ([String], Int) = ([], 0)
        for part in parts {
            if case .text(let text) = part { texts.append(text) } else { valueCount += 1 }
        }
        var prefix = "value"
        while (0..<valueCount).contains(where: { number in texts.contains { $0.contains("\(prefix)\(number + 1)") } }) {
            prefix += "_"
        }
        return prefix
    }

    /// The parts of a string literal with interpolated values, collected while Swift evaluates it.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate enum Part {
            case text(String)
            case value(Value?)
        }

        fileprivate var parts: [Part] = []

        /// Starts a string literal without any part.
        public init(literalCapacity: Int, interpolationCount: Int) { parts.reserveCapacity(2 * interpolationCount + 1) }

        /// Appends a literal part of the query's text, unchanged.
        public mutating func appendLiteral(_ literal: String) { parts.append(.text(literal)) }

        /// Appends a value as a parameter of the query; nil is NULL.
        public mutating func appendInterpolation(_ value: Value?) { parts.append(.value(value)) }

        /// Appends a string as a parameter of the query; nil is NULL.
        public mutating func appendInterpolation(_ value: String?) {
            appendInterpolation(value.map { Value.string($0) })
        }
        /// Appends an integer as a parameter of the query.
        public mutating func appendInterpolation(_ value: some BinaryInteger) { appendInterpolation(Value(value)) }
        /// Appends a number as a parameter of the query.
        public mutating func appendInterpolation(_ value: Double) { appendInterpolation(Value(value)) }
        /// Appends a Boolean as a parameter of the query.
        public mutating func appendInterpolation(_ value: Bool) { appendInterpolation(Value.boolean(value)) }
        /// Appends a date as a parameter of the query, in the stored form of the dates that it is compared with; nil is
        /// NULL.
        public mutating func appendInterpolation(_ value: Date?, form: ValueForm = .typed) {
            appendInterpolation(value.map { Value.date($0, form: form) })
        }
        /// Appends an array of strings as one parameter of the query.
        public mutating func appendInterpolation(_ values: [String]) {
            appendInterpolation(Value.array(ArrayObject(values.map { .string($0) })))
        }

        /// Appends a name, such as that of a property or a collection, to the query's text, in backquotes.
        public mutating func appendInterpolation(name: String) {
            parts.append(.text(name.quoted("`")))
        }
    }
}

extension Database {
    /// Creates a query from a literal in SQL++ whose interpolated values are parameters.
    ///
    /// - Throws: `invalidQuery` for a syntax error, with its position and what was expected there, and for a query that
    ///   names something that doesn't exist; `notOpen`, and errors of the storage.
    public func createQuery(_ query: QueryString) throws -> Query {
        let made = try createQuery(query.text as String)
        if !query.parameters.names.isEmpty { made.parameters = query.parameters }
        return made
    }
}

/// The syntax tree of a query, with its database and the text that it was parsed from.
struct QueryDefinition: Sendable {
    let database: Database
    let tree: Statement
    /// The text that the query was parsed from, for the positions of errors; nil for a query that was created from a
    /// tree.
    let text: String?
}
