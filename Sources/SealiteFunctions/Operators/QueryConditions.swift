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
    ]
}
