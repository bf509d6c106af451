import SealiteJSON

extension QueryFunction {
    /// The SQL functions that compute a value from an array, such as its length, its sum, or whether it contains a
    /// value.
    static let arrays: [QueryFunction] = [
        .init("query_array_length", 1) { call in
            guard let array = call[0].array else { return call.give(0 as Int64) }
            call.give(Int64(unsafe array.element.itemCount(in: array.payload.span)))
        },
        .init("query_array_count", 1) { call in
            guard call[0].array != nil || call[0].object != nil else { return }
            var count: Int64 = 0
            var elements = QueryElements(of: call[0])
            while let element = elements.next() { count += element.value.isNull ? 0 : 1 }
            call.give(count)
        },
        .init("query_array_contains", 2) { call in
            guard !call.propagates(2) else { return }
            guard call[0].array != nil else { return call.giveNull() }
            call.give(call[0].contains(call[1]))
        },
        .init("query_array_ifnull", 1) { call in
            if call[0].isMissing { return }
            guard let array = call[0].array else { return call.giveNull() }
            var elements = QueryElements(array)
            while let element = elements.next() {
                if !element.value.isNull { return call.give(element.value) }
            }
            call.giveNull()
        },
        .init("query_array_sum", 1) { call in call.give(numbers(call[0].array).reduce(0, +)) },
        .init("query_array_avg", 1) { call in
            let numbers = numbers(call[0].array)
            call.give(numbers.isEmpty ? 0 : numbers.reduce(0, +) / Double(numbers.count))
        },
        .init("query_array_min", 1) { call in extreme(call) { $0.min() } },
        .init("query_array_max", 1) { call in extreme(call) { $0.max() } },
    ]

    /// Returns the items of an array as numbers: true is 1, and values that aren't numbers are 0.
    static func numbers(_ array: QueryBytes?) -> [Double] {
        guard let array else { return [] }
        var numbers: [Double] = []
        var elements = QueryElements(array)
        while let element = elements.next() {
            if case .boolean(true) = element.value {
                numbers.append(1)
            } else {
                numbers.append(element.value.number ?? 0)
            }
        }
        return numbers
    }

    private static func extreme(_ call: QueryCall, _ choose: ([Double]) -> Double?) {
        if call[0].isMissing { return }
        guard let array = call[0].array, let number = choose(numbers(array)) else { return call.giveNull() }
        call.give(number)
    }
}
