extension QueryFunction {
    /// The SQL function for the truth of a value in conditions: 1, 0, or SQL's NULL for MISSING.
    static let truth: [QueryFunction] = [
        .init("query_truth", 1) { call in
            switch call[0] {
            case .missing: break
            case .boolean(let isTrue): call.give(isTrue ? 1 : 0 as Int64)
            case .string(let text):
                call.give(NumericPrefix(text, allowsHexadecimal: false).value != 0 ? 1 : 0 as Int64)
            case let value: call.give((value.number ?? 0) != 0 ? 1 : 0 as Int64)
            }
        }
    ]
}
