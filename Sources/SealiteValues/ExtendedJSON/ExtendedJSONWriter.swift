internal import SealiteJSON

/// The forms of Extended JSON v2.
public enum ExtendedJSONForm: Sendable, Hashable {
    /// Numbers and dates as people read them; integers lose their width.
    case relaxed
    /// Every type in full.
    case canonical
}

extension BSON {
    /// Returns the value as a text in Extended JSON v2, without white space.
    public func extendedJSON(_ form: ExtendedJSONForm = .relaxed) -> String {
        var output = JSONTextWriter()
        ExtendedJSONWriter(form: form).write(self, to: &output)
        return output.string
    }
}

extension MongoDocument {
    /// Returns the document as a text in Extended JSON v2, without white space.
    public func extendedJSON(_ form: ExtendedJSONForm = .relaxed) -> String {
        var output = JSONTextWriter()
        ExtendedJSONWriter(form: form).write(self, to: &output)
        return output.string
    }
}

extension MongoDocument: CustomStringConvertible {
    /// The document in relaxed Extended JSON.
    public var description: String { extendedJSON() }
}

extension BSON: CustomStringConvertible {
    /// The value in relaxed Extended JSON.
    public var description: String { extendedJSON() }
}

/// Writes values as Extended JSON.
struct ExtendedJSONWriter {
    let form: ExtendedJSONForm

    func write(_ value: BSON, to output: inout JSONTextWriter) {
        switch value {
        case .null: output.null()
        case .bool(let value): output.boolean(value)
        case .string(let text): output.string(text)
        case .document(let document): write(document, to: &output)
        case .array(let items): output.array { output in for item in items { write(item, to: &output) } }
        case .int32, .int64, .double, .decimal128: writeNumber(value, to: &output)
        case .datetime(let date): write(date, to: &output)
        case .binary, .regex, .timestamp, .dbPointer, .codeWithScope: writeNested(value, to: &output)
        case .objectID(let id): Self.write("$oid", id.hex, to: &output)
        case .code(let text): Self.write("$code", text, to: &output)
        case .symbol(let text): Self.write("$symbol", text, to: &output)
        case .undefined: Self.wrap("$undefined", to: &output) { $0.boolean(true) }
        case .minKey: Self.wrap("$minKey", to: &output) { $0.integer(1) }
        case .maxKey: Self.wrap("$maxKey", to: &output) { $0.integer(1) }
        }
    }

    func write(_ document: MongoDocument, to output: inout JSONTextWriter) {
        output.object { output in
            for member in document {
                output.name(member.key)
                write(member.value, to: &output)
            }
        }
    }

    private func writeNumber(_ value: BSON, to output: inout JSONTextWriter) {
        switch value {
        case .int32(let number):
            form == .relaxed ? output.integer(number) : Self.write("$numberInt", String(number), to: &output)
        case .int64(let number):
            form == .relaxed ? output.integer(number) : Self.write("$numberLong", String(number), to: &output)
        case .double(let number):
            let text = DoubleText.text(of: number)
            form == .relaxed && number.isFinite
                ? output.raw(text.utf8) : Self.write("$numberDouble", text, to: &output)
        case .decimal128(let number): Self.write("$numberDecimal", number.description, to: &output)
        default: break
        }
    }

    private func write(_ date: DateTime, to output: inout JSONTextWriter) {
        if form == .relaxed, DateTime.relaxedYears.contains(date.milliseconds) {
            Self.write("$date", date.text(hasFraction: false), to: &output)
        } else {
            Self.wrap("$date", to: &output) { Self.write("$numberLong", String(date.milliseconds), to: &$0) }
        }
    }

    /// Writes a value whose wrapper holds several parts.
    private func writeNested(_ value: BSON, to output: inout JSONTextWriter) {
        switch value {
        case .binary(let binary):
            Self.wrap("$binary", to: &output) { output in
                Self.write(["base64": Base64Text.text(of: binary.bytes), "subType": binary.subtypeDigits], to: &output)
            }
        case .regex(let regex):
            Self.wrap("$regularExpression", to: &output) { output in
                Self.write(["pattern": regex.pattern, "options": regex.options], to: &output)
            }
        case .timestamp(let timestamp):
            Self.wrap("$timestamp", to: &output) { output in
                output.object { output in
                    output.name("t")
                    output.integer(timestamp.seconds)
                    output.name("i")
                    output.integer(timestamp.increment)
                }
            }
        case .dbPointer(let pointer):
            Self.wrap("$dbPointer", to: &output) { output in
                output.object { output in
                    output.name("$ref")
                    output.string(pointer.collection)
                    output.name("$id")
                    Self.write("$oid", pointer.id.hex, to: &output)
                }
            }
        case .codeWithScope(let text, let scope):
            output.object { output in
                output.name("$code")
                output.string(text)
                output.name("$scope")
                write(scope, to: &output)
            }
        default: break
        }
    }

    // MARK: - Wrappers

    private static func wrap(
        _ name: String, to output: inout JSONTextWriter, _ content: (inout JSONTextWriter) -> Void
    ) {
        output.object { output in
            output.name(name)
            content(&output)
        }
    }

    private static func write(_ name: String, _ text: String, to output: inout JSONTextWriter) {
        wrap(name, to: &output) { $0.string(text) }
    }

    private static func write(_ members: KeyValuePairs<String, String>, to output: inout JSONTextWriter) {
        output.object { output in
            for (name, text) in members {
                output.name(name)
                output.string(text)
            }
        }
    }
}

extension Binary {
    /// The subtype in two hexadecimal digits.
    var subtypeDigits: String { Hexadecimal.text(of: [subtype]) }
}
