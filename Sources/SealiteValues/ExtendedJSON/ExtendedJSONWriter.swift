internal import SealiteBase
internal import SealiteJSON

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

/// A serializer of Extended JSON.
struct ExtendedJSONWriter {
    let form: ExtendedJSONForm

    private var wrapperForm: WrapperForm { form == .relaxed ? .relaxed : .canonical }

    /// Writes a value of any type as Extended JSON in the writer's form.
    func write(_ value: BSON, to output: inout JSONTextWriter) {
        if let wrapper = Wrapper.document(of: value, wrapperForm) {
            Self.writePlain(.document(wrapper), to: &output)
            return
        }
        switch value {
        case .document(let document): write(document, to: &output)
        case .array(let items): output.array { output in for item in items { write(item, to: &output) } }
        case .codeWithScope(let text, let scope):
            output.object { output in
                output.name("$code")
                output.string(text)
                output.name("$scope")
                write(scope, to: &output)
            }
        default: Self.writePlain(value, to: &output)
        }
    }

    /// Writes a document as it is, even if a reader would take it for a wrapper, an object such as `{"$oid": "…"}`.
    func write(_ document: MongoDocument, to output: inout JSONTextWriter) {
        output.object { output in
            for member in document {
                output.name(member.key)
                write(member.value, to: &output)
            }
        }
    }

    /// Writes a value that JSON can represent, or the document of a wrapper, whose members are such values; writes null
    /// for a value of any other type.
    private static func writePlain(_ value: BSON, to output: inout JSONTextWriter) {
        switch value {
        case .bool(let value): output.boolean(value)
        case .string(let text): output.string(text)
        case .int32(let number): output.integer(number)
        case .int64(let number): output.integer(number)
        case .double(let number): output.raw(DoubleText.text(of: number).utf8)
        case .document(let document):
            output.object { output in
                for member in document {
                    output.name(member.key)
                    writePlain(member.value, to: &output)
                }
            }
        default: output.null()
        }
    }
}

extension Binary {
    /// The subtype as two hexadecimal digits.
    var subtypeDigits: String { Hexadecimal.text(of: [subtype]) }
}

/// The forms of Extended JSON v2.
public enum ExtendedJSONForm: Sendable, Hashable {
    /// A readable form of numbers and dates, in which integers lose their width.
    case relaxed
    /// A form that preserves every type.
    case canonical
}
