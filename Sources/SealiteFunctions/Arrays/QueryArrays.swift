import SealiteJSON

extension QueryFunction {
    /// The SQL functions that compute a value from an array, such as its length, its sum, or whether it contains a
    /// value.
    static let arrays: [QueryFunction] = [
        .init("query_array_length", 1) { call in
            guard let array = call[0].array else { return call.give(0 as Int64) }
            let count = unsafe array.element.itemCount(in: array.payload.span)
            try call.charge(count)
            call.give(Int64(count))
        },
        .init("query_array_count", 1) { call in
            guard call[0].array != nil || call[0].object != nil else { return }
            var count: Int64 = 0
            var elements = QueryElements(of: call[0])
            while let element = elements.next() {
                try call.charge(1)
                count += element.value.isNull ? 0 : 1
            }
            call.give(count)
        },
        .init("query_array_contains", 2) { call in
            guard !call.propagates(2) else { return }
            guard call[0].array != nil else { return call.giveNull() }
            call.give(try call[0].contains(call[1], call))
        },
        .init("query_array_ifnull", 1) { call in
            if call[0].isMissing { return }
            guard let array = call[0].array else { return call.giveNull() }
            var elements = QueryElements(array)
            while let element = elements.next() {
                if !element.value.isNull { return call.give(element.value) }
                try call.charge(1)
            }
            call.giveNull()
        },
        .init("query_array_sum", 1) { call in call.give(try numbers(call[0].array, call).sum) },
        .init("query_array_avg", 1) { call in
            let numbers = try numbers(call[0].array, call)
            call.give(numbers.count == 0 ? 0 : numbers.sum / Double(numbers.count))
        },
        .init("query_array_min", 1) { call in try extreme(call) { $0.least } },
        .init("query_array_max", 1) { call in try extreme(call) { $0.greatest } },
    ]

    /// The numbers of an array: true is 1, and values that aren't numbers are 0.
    private struct Numbers {
        var count = 0
        var sum = 0.0
        var least: Double?
        var greatest: Double?

        mutating func add(_ number: Double) {
            count += 1
            sum += number
            if least.map({ number < $0 }) ?? true { least = number }
            if greatest.map({ number > $0 }) ?? true { greatest = number }
        }
    }

    /// Returns a summary of the items of an array as numbers.
    private static func numbers(_ array: QueryBytes?, _ call: QueryCall) throws -> Numbers {
        var numbers = Numbers()
        guard let array else { return numbers }
        var elements = QueryElements(array)
        while let element = elements.next() {
            try call.charge(1)
            numbers.add(element.value.asNumber)
        }
        return numbers
    }

    private static func extreme(_ call: QueryCall, _ choose: (Numbers) -> Double?) throws {
        if call[0].isMissing { return }
        guard let array = call[0].array, let number = choose(try numbers(array, call)) else { return call.giveNull() }
        call.give(number)
    }
}

extension FunctionValue {
    /// The value as a number: true is 1, and a value that isn't a number is 0.
    var asNumber: Double { if case .boolean(true) = self { 1 } else { number ?? 0 } }
}

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
