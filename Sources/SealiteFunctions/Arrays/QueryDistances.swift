extension QueryFunction {
    /// The SQL functions for distances of vectors: MISSING unless both arguments are arrays of the same length. An item
    /// that is true counts as 1, any other item that isn't a number as 0.
    static let distances: [QueryFunction] = [
        .init("query_euclidean_distance", 2...3) { call in
            guard let (left, right) = vectors(call) else { return }
            let squares = zip(left, right).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
            guard let power = call.optional(2) else { return call.give(squares.squareRoot()) }
            switch power.number {
            case 1: call.give(squares.squareRoot())
            case 2: call.give(squares)
            default: if !power.isMissing { call.giveNull() }
            }
        },
        .init("query_cosine_distance", 2) { call in
            guard let (left, right) = vectors(call) else { return }
            let product = zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
            let lengths = (left.reduce(0) { $0 + $1 * $1 } * right.reduce(0) { $0 + $1 * $1 }).squareRoot()
            call.give(1 - product / lengths)
        },
    ]

    private static func vectors(_ call: QueryCall) -> ([Double], [Double])? {
        guard let left = call[0].array, let right = call[1].array else { return nil }
        let (a, b) = (numbers(left), numbers(right))
        return a.count == b.count ? (a, b) : nil
    }
}
