import CSQLite
import SealiteJSON

/// A walk over the elements of one value, for `query_each`.
@safe final class EachCursor {
    /// The value's own copy: SQLite takes the argument back when the walk has begun.
    private var container: OpaquePointer?
    private var elements: QueryElements?
    /// The element at hand; nil behind the last one.
    private(set) var current: QueryElements.Element?
    /// The number of elements before the one at hand.
    private(set) var row: Int64 = 0

    /// True if the value is an array or an object; any other value is its own single element, which has no key.
    var hasElements: Bool { elements != nil }

    deinit { unsafe sqlite3_value_free(container) }

    /// Begins a walk.
    ///
    /// - Returns: false if memory is short.
    func begin(_ argument: OpaquePointer?) -> Bool {
        unsafe sqlite3_value_free(container)
        unsafe container = sqlite3_value_dup(argument)
        (elements, current, row) = (nil, nil, 0)
        guard let copy = unsafe container else { return false }
        // A BLOB that is no element has no rows; it isn't null here.
        switch unsafe QueryValue(copy, damaged: .missing) {
        case .missing: break
        case .array(let content), .object(let content):
            elements = QueryElements(content)
            current = elements?.next()
        case let scalar: current = .init(scalar: scalar)
        }
        return true
    }

    /// Gives the value itself as the result of a column.
    func giveContainer(_ context: OpaquePointer?) { unsafe sqlite3_result_value(context, container) }

    /// Moves to the next element.
    func next() {
        current = elements?.next()
        row += 1
    }
}

extension QueryElements.Element {
    /// A value that is no container, as its own single element.
    init(scalar: QueryValue) {
        (index, name, value, place) = (0, nil, scalar, JSONBElement(JSONBType.null, payload: 0..<0))
    }
}
