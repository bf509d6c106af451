extension QueryFunction {
    /// The SQL functions of queries that choose between their arguments by whether these are NULL, MISSING or equal.
    static let conditions: [QueryFunction] = [
        .init("query_ifnull", 2...many) { call in
            // The first argument that isn't NULL, which may be MISSING.
            for index in 0..<call.count where !call[index].isNull { return call.give(call[index]) }
            call.giveNull()
        },
        .init("query_ifmissingornull", 2...many) { call in
            for index in 0..<call.count {
                let value = call[index]
                if !value.isMissing, !value.isNull { return call.give(value) }
            }
            call.giveNull()
        },
        .init("query_missingif", 2) { call in
            guard !call.propagates(2), !QueryComparison.areEqual(call[0], call[1]) else { return }
            call.give(call[0])
        },
        .init("query_nullif", 2) { call in
            guard !call.propagates(2) else { return }
            if QueryComparison.areEqual(call[0], call[1]) { call.giveNull() } else { call.give(call[0]) }
        },
        .init("query_decode", 3...many) { call in
            // Pairs of a value and a result follow the first argument. If one argument is left, it is the default.
            for index in stride(from: 1, to: call.count - 1, by: 2)
            where QueryComparison.areEqual(call[0], call[index]) {
                return call.give(call[index + 1])
            }
            if call.count % 2 == 0 { call.give(call[call.count - 1]) } else { call.giveNull() }
        },
    ]
}

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
