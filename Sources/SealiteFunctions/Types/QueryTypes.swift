import SealiteJSON

extension QueryFunction {
    /// The SQL functions that test and convert types; all return MISSING for MISSING and NULL for NULL.
    static let types: [QueryFunction] =
        [
            test("query_isarray") { $0.array != nil }, test("query_isobject") { $0.object != nil },
            test("query_isstring") { $0.text != nil }, test("query_isnumber") { $0.number != nil },
            test("query_isboolean") { if case .boolean = $0 { true } else { false } },
            test("query_isatom") { $0.array == nil && $0.object == nil },
            convert("query_type") { call, value in call.give(typeName(value)) },
        ] + conversions

    private static let conversions: [QueryFunction] = [
        convert("query_toarray") { call, value in
            guard value.array == nil else { return call.give(value) }
            var writer = JSONBWriter()
            let begun = writer.begin(guess: 16)
            writer.append(value)
            writer.end(JSONBType.array, begun)
            try call.give(writer)
        },
        convert("query_toobject") { call, value in
            guard value.object == nil else { return call.give(value) }
            var writer = JSONBWriter()
            writer.header(JSONBType.object, byteCount: 0)
            try call.give(writer)
        },
        convert("query_toatom", toAtom),
        convert("query_toboolean") { call, value in
            switch value {
            case .boolean(let isTrue): call.give(isTrue)
            case .string(let content), .array(let content), .object(let content): call.give(content.count > 0)
            default: call.give(value.number != 0)
            }
        },
        convert("query_tonumber", toNumber),
        convert("query_tostring") { call, value in
            guard value.array == nil, value.object == nil else { return call.giveNull() }
            var text = GrowingBytes()
            if ValueText.append(value, to: &text) { try call.give(text: text) }
        },
    ]

    private static func convert(
        _ name: StaticString, _ body: @escaping @Sendable (QueryCall, FunctionValue) throws -> Void
    ) -> QueryFunction {
        .init(name, 1) { call in
            let value = call[0]
            if value.isMissing { return }
            if value.isNull { call.giveNull() } else { try body(call, value) }
        }
    }

    private static func test(_ name: StaticString, _ body: @escaping @Sendable (FunctionValue) -> Bool) -> QueryFunction
    {
        convert(name) { call, value in call.give(body(value)) }
    }

    private static func typeName(_ value: FunctionValue) -> StaticString {
        switch value {
        case .missing: "missing"
        case .null: "null"
        case .boolean: "boolean"
        case .integer, .double, .bigNumber: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// Sets the result to the value if it is a scalar, or to the only element of an array or object; NULL if that has
    /// another number of elements.
    private static func toAtom(_ call: QueryCall, _ value: FunctionValue) {
        guard value.array != nil || value.object != nil else { return call.give(value) }
        var elements = QueryElements(of: value)
        guard let only = elements.next(), elements.next() == nil else { return call.giveNull() }
        call.give(only.value)
    }

    private static func toNumber(_ call: QueryCall, _ value: FunctionValue) {
        switch value {
        case .boolean(let isTrue): call.give(isTrue ? 1 : 0 as Int64)
        case .integer, .double, .bigNumber: call.give(value)
        case .string(let text):
            let prefix = NumericPrefix(text)
            if let integer = prefix.integer { call.give(integer) } else { call.give(prefix.value) }
        default: call.giveNull()
        }
    }
}
