import CSQLite
import SealiteJSON
import SealiteVectors

extension QueryFunction {
    /// The SQL functions of vectors.
    static let vectors: [QueryFunction] = [
        .init("query_vector", 2...3, vector),
        .init("query_vector_distance", 2...3) { call in
            guard !call.propagates(2) else { return }
            let metric: VectorMetric?
            switch call.optional(2) {
            case nil: metric = .euclideanSquared
            case .string(let name)?: metric = VectorMetric(queryName: name.string)
            default: metric = nil
            }
            guard let metric else { return call.giveNull() }
            try distance(call, metric)
        },
        .init("query_index_distance", 3, indexDistance),
        .init("query_l2_distance", 2) { call in
            guard !call.propagates(2) else { return }
            try distance(call, .euclidean)
        },
        .init("query_dot_product", 2) { call in
            guard !call.propagates(2) else { return }
            try distance(call, .dot, factor: -1)
        },
    ]

    /// The SQL function `query_vector(value, dimensions [, isUnequalZero])`: the vector in a value, an array of that many
    /// numbers, or as many float32 in base64 or binary data, as a BLOB of little-endian float32; NULL for any other value,
    /// and for a vector of zeros if the last argument is true.
    private static func vector(_ call: QueryCall) throws {
        guard case .integer(let count) = call[1], let dimensions = Int(exactly: count),
            VectorReader.dimensions.contains(dimensions)
        else { return }
        let value = call[0]
        try call.charge(bytes: value.byteCount)
        // TRUE is 1 in SQL.
        let refusesZero = call.optional(2)?.number == 1
        unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: dimensions) { floats in
            guard unsafe value.readVector(into: floats) else { return }
            if refusesZero, unsafe floats.allSatisfy({ $0 == 0 }) { return }
            unsafe call.giveKey(UnsafeRawBufferPointer(floats))
        }
    }

    /// The SQL function `query_index_distance(stored, vector, metric)`: the distance of a vector as an index has it, a BLOB of
    /// float32, from the vector in a value, which is searched for; SQL's NULL if `stored` isn't a BLOB, or has a number that
    /// isn't finite. Fails if the vector that is searched for isn't one of the same number of dimensions.
    private static func indexDistance(_ call: QueryCall) throws {
        guard case .string(let name) = call[2], let metric = VectorMetric(queryName: name.string),
            unsafe sqlite3_value_type(call.argument(0)) == SQLITE_BLOB
        else { return }
        let stored = unsafe UnsafeRawBufferPointer(
            start: sqlite3_value_blob(call.argument(0)), count: Int(sqlite3_value_bytes(call.argument(0))))
        let (count, value) = (stored.count / 4, call[1])
        guard VectorReader.dimensions.contains(count) else { return }
        try call.charge(bytes: stored.count + value.byteCount)
        unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * count) { floats in
            let (first, second) = unsafe (
                UnsafeMutableBufferPointer(rebasing: floats[..<count]),
                UnsafeMutableBufferPointer(rebasing: floats[count...])
            )
            guard unsafe value.readVector(into: second) else { return call.fail(SearchRequest.problem(value, count)) }
            if metric == .cosine, unsafe second.allSatisfy({ $0 == 0 }) { return call.fail(SearchRequest.zeroProblem) }
            guard unsafe VectorReader.read(floats: stored.bindMemory(to: UInt8.self).span, into: first) else { return }
            call.give(unsafe metric.distance(UnsafeBufferPointer(first), UnsafeBufferPointer(second)))
        }
    }

    /// Sets the result to the distance of the vectors in the first two arguments; NULL unless both are vectors of the same
    /// number of dimensions.
    private static func distance(_ call: QueryCall, _ metric: VectorMetric, factor: Double = 1) throws {
        let (left, right) = (call[0], call[1])
        guard let count = left.vectorCount, count == right.vectorCount, VectorReader.dimensions.contains(count) else {
            return call.giveNull()
        }
        try call.charge(bytes: left.byteCount + right.byteCount)
        unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * count) { floats in
            let (first, second) = unsafe (
                UnsafeMutableBufferPointer(rebasing: floats[..<count]),
                UnsafeMutableBufferPointer(rebasing: floats[count...])
            )
            guard unsafe left.readVector(into: first), unsafe right.readVector(into: second) else {
                return call.giveNull()
            }
            call.give(unsafe factor * metric.distance(UnsafeBufferPointer(first), UnsafeBufferPointer(second)))
        }
    }
}

extension FunctionValue {
    /// Reads the vector in the value, of exactly as many dimensions as `output` has; false if it has none.
    @unsafe
    func readVector(into output: UnsafeMutableBufferPointer<Float>) -> Bool {
        switch self {
        case .array(let content), .string(let content), .object(let content):
            unsafe VectorReader.read(content.element, in: content.payload.span, into: output)
        default: false
        }
    }

    /// The number of dimensions of the vector in the value; nil if it has none of any number.
    var vectorCount: Int? {
        switch self {
        case .array(let content), .string(let content), .object(let content):
            unsafe VectorReader.count(content.element, in: content.payload.span)
        default: nil
        }
    }
}
