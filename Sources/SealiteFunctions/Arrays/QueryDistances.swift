extension QueryFunction {
    /// The SQL functions for distances of vectors: MISSING unless both arguments are arrays of the same length. An item
    /// that is true counts as 1, any other item that isn't a number as 0.
    static let distances: [QueryFunction] = [
        .init("query_euclidean_distance", 2...3) { call in
            var squares = 0.0
            guard try forEachPair(call, { squares += ($0 - $1) * ($0 - $1) }) else { return }
            guard let power = call.optional(2) else { return call.give(squares.squareRoot()) }
            switch power.number {
            case 1: call.give(squares.squareRoot())
            case 2: call.give(squares)
            default: if !power.isMissing { call.giveNull() }
            }
        },
        .init("query_cosine_distance", 2) { call in
            var (product, left, right) = (0.0, 0.0, 0.0)
            let isDefined = try forEachPair(call) { a, b in
                product += a * b
                left += a * a
                right += b * b
            }
            if isDefined { call.give(1 - product / (left * right).squareRoot()) }
        },
    ]

    /// Calls `body` with the items of both arguments at each index as numbers.
    ///
    /// - Returns: false, after an undefined number of calls, if the arguments aren't arrays of the same length.
    private static func forEachPair(_ call: QueryCall, _ body: (Double, Double) -> Void) throws -> Bool {
        guard let left = call[0].array, let right = call[1].array else { return false }
        var (items, others) = (QueryElements(left), QueryElements(right))
        while true {
            try call.charge(1)
            switch (items.next(), others.next()) {
            case (let item?, let other?): body(item.value.asNumber, other.value.asNumber)
            case (nil, nil): return true
            default: return false
            }
        }
    }
}
