internal import SealiteValues

/// Converts values to Swift expressions.
enum SwiftLiteral {
    /// Returns a string literal; characters that are invisible, end a line or change the direction of writing are
    /// escaped.
    static func text(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\\(scalar)"
            case "\n": literal += "\\n"
            case _ where isPlain(scalar): literal.unicodeScalars.append(scalar)
            default: literal += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        return literal + "\""
    }

    /// Returns whether a scalar is used in source text without escaping.
    static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }

    /// Returns a Swift expression for a double.
    static func double(_ number: Double) -> String {
        if number.isNaN { return ".nan" }
        if number.isInfinite { return number < 0 ? "-.infinity" : ".infinity" }
        // The compiler refuses the digits of subnormal numbers.
        return number.isSubnormal ? "Double(bitPattern: \(number.bitPattern))" : "\(number)"
    }

    /// Returns a Swift expression for a BSON value. For a value without a literal, the type of the expression is
    /// optional: `try? BSON(extendedJSON: …)`.
    static func bson(_ value: BSON) -> String {
        plain(value, special: { ".double(\($0))" })
            ?? "try? BSON(extendedJSON: \(text(value.extendedJSON(.canonical))))"
    }

    /// Returns a Swift expression for a mixed value; nil for a value that JSON can't express.
    static func mixed(_ value: BSON) -> String? { plain(value, special: { _ in nil }) }

    /// Returns the literal of a JSON value; nil if it contains a value of another type. `special` returns the final
    /// expression for a subnormal, infinite or NaN double, of which it receives a plain one; nil if there is none.
    private static func plain(_ value: BSON, special: (String) -> String?) -> String? {
        switch value {
        case .null: return ".null"
        case .bool(let flag): return "\(flag)"
        case .int32(let number): return "\(number)"
        case .int64(let number) where Int32(exactly: number) == nil: return "\(number)"
        case .double(let number): return number.isNormal || number.isZero ? double(number) : special(double(number))
        case .string(let string): return text(string)
        case .array(let items):
            let literals = items.compactMap { plain($0, special: special) }
            return literals.count == items.count ? "[\(literals.joined(separator: ", "))]" : nil
        case .document(let document):
            guard !document.isEmpty else { return "[:]" }
            let literals = document.compactMap { member in
                plain(member.value, special: special).map { "\(text(member.key)): \($0)" }
            }
            return literals.count == document.count ? "[\(literals.joined(separator: ", "))]" : nil
        default: return nil
        }
    }
}

/// Converts default values to Swift expressions of the properties' Swift types.
struct SwiftTypedLiteral {
    /// The modules that define the types in the expressions that were returned.
    private(set) var modules: Set<SwiftModule> = []
    private let writer: SwiftWriter
    private let compilable: (PropertyType) -> PropertyType

    /// Creates a converter.
    ///
    /// - Parameters:
    ///   - writer: the writer that names types and properties.
    ///   - compilable: returns the schema type without references to types that the schema doesn't have.
    init(_ writer: SwiftWriter, _ compilable: @escaping (PropertyType) -> PropertyType) {
        (self.writer, self.compilable) = (writer, compilable)
    }

    /// Returns the Swift expression for a property's value; nil if no expression is certain to be valid.
    private mutating func expression(_ value: BSON, _ type: PropertyType, _ isOptional: Bool) -> String? {
        if type == .geoPoint {
            modules.insert(.model)
            return isOptional ? point(value) : nil
        }
        return expression(value, compilable(type))
    }

    /// Returns the Swift expression for a property's default; nil if it has no default, or if no expression is certain
    /// to be valid.
    mutating func defaultExpression(of property: Property) -> String? {
        guard let value = property.defaultValue else { return nil }
        return expression(value, property.type, property.isOptional)
    }

    private mutating func expression(_ value: BSON, _ type: PropertyType) -> String? {
        if let module = type.swiftModule { modules.insert(module) }
        return switch (type, value) {
        case (.bool, .bool(let flag)): "\(flag)"
        case (.int, .int32(let number)), (.long, .int32(let number)): "\(number)"
        case (.long, .int64(let number)): "\(number)"
        case (.double, .double(let number)): SwiftLiteral.double(number)
        case (.string, .string(let text)): SwiftLiteral.text(text)
        case (.data, .binary(let binary)): "[\(binary.bytes.map { "\($0)" }.joined(separator: ", "))]"
        case (.date, .datetime(let date)): "Date(timeIntervalSince1970: \(Double(date.milliseconds) / 1000))"
        case (.decimal128, .decimal128(let number)): "Decimal128(\(SwiftLiteral.text("\(number)"))) ?? .nan"
        case (.objectID, .objectID(let id)): "ObjectID(\(SwiftLiteral.text(id.hex))) ?? ObjectID()"
        case (.uuid, .binary(let binary)):
            binary.uuidText.map { "UUID(uuidString: \(SwiftLiteral.text($0))) ?? UUID()" }
        case (.mixed, _):
            SwiftLiteral.mixed(value) ?? "(try? Value(json: \(SwiftLiteral.text(value.extendedJSON())))) ?? .null"
        case (.embedded(let name), .document(let document)): embedded(name, document)
        case (.link(_, let key), _):
            expression(value, key).map { "Reference(id: \($0))" }
        case (.array(let item), .array(let items)), (.set(let item), .array(let items)):
            list(items.map { ("", $0) }, item)
        case (.dictionary, .document([:])): "[:]"
        case (.dictionary(let item), .document(let document)):
            list(document.map { ("\(SwiftLiteral.text($0.key)): ", $0.value) }, item)
        default: nil
        }
    }

    /// Returns the literals of values of a type, each after a text; nil if one of them has none.
    private mutating func list(_ values: [(before: String, value: BSON)], _ type: PropertyType) -> String? {
        var literals: [String] = []
        for (before, value) in values {
            guard let literal = expression(value, type) else { return nil }
            literals.append(before + literal)
        }
        return "[\(literals.joined(separator: ", "))]"
    }

    private mutating func embedded(_ name: String, _ document: MongoDocument) -> String? {
        guard let object = writer.objects[name], let type = writer.names.types[name] else { return nil }
        let values = Dictionary(document.map { ($0.key, $0.value) }) { first, _ in first }
        var arguments: [String] = []
        for property in object.properties {
            guard let value = values[property.name] else {
                // A property without a value is left to the initializer, in which a required property may have no
                // default.
                guard !property.isRequired || defaultExpression(of: property) != nil else { return nil }
                continue
            }
            guard let literal = expression(value, property.type, property.isOptional) else { return nil }
            let label = writer.names.properties[name]?[property.name] ?? property.name
            arguments.append("\(SwiftName.label(label)): \(literal)")
        }
        return "\(type)(\(arguments.joined(separator: ", ")))"
    }

    private func point(_ value: BSON) -> String? {
        guard case .document(let document) = value, case .array(let items)? = document["coordinates"],
            items.count == 2, case .double(let longitude) = items[0], case .double(let latitude) = items[1]
        else { return nil }
        return "GeoPoint(latitude: \(SwiftLiteral.double(latitude)), longitude: \(SwiftLiteral.double(longitude)))"
    }
}

/// Lines of Swift source text.
struct SwiftText {
    private(set) var lines: [String] = []
    private var indentation = ""

    /// Adds a line with the current indentation; an empty line if there is no text.
    mutating func line(_ text: String = "") { lines.append(text.isEmpty ? "" : indentation + text) }

    /// Increases the indentation of the following lines.
    mutating func indent() { indentation += "    " }

    /// Decreases the indentation of the following lines.
    mutating func outdent() { indentation.removeLast(min(4, indentation.count)) }

    /// Adds a call or a declaration with its arguments, on one line if they fit, otherwise with one argument on each
    /// line.
    mutating func list(_ start: String, _ arguments: [String], _ end: String) {
        let whole = start + arguments.joined(separator: ", ") + end
        guard indentation.count + whole.count > 120 else { return line(whole) }
        line(start)
        indent()
        for (index, argument) in arguments.enumerated() {
            line(argument + (index + 1 < arguments.count ? "," : ""))
        }
        outdent()
        line(end)
    }

    /// Adds a text as a documentation comment.
    mutating func comment(_ text: String) {
        for part in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            line(("/// " + Self.plain(part)).trimmingEnd)
        }
    }

    /// Returns a text for comments, without invisible characters, which may change the direction of writing or confuse
    /// a compiler.
    static func plain(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if SwiftLiteral.isPlain(scalar) {
                result.unicodeScalars.append(scalar)
            } else if scalar == "\t" || scalar.properties.isWhitespace {
                result += " "
            }
        }
        return result
    }
}

extension String {
    /// The text without trailing white space.
    fileprivate var trimmingEnd: String {
        var end = endIndex
        while end > startIndex, self[index(before: end)].isWhitespace { end = index(before: end) }
        return String(self[..<end])
    }
}
