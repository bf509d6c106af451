import CSQLite
import SealiteJSON

/// A cursor of the SQL table `query_each`, over the elements of one value.
@safe final class EachCursor {
    /// A copy of the value whose elements are scanned, since the argument isn't valid after the start of the scan.
    private var container: OpaquePointer?
    private var elements: QueryElements?
    /// The current element; nil after the last one.
    private(set) var current: QueryElements.Element?
    /// The number of the row with the current element, from 0.
    private(set) var row: Int64 = 0

    /// A Boolean value that says whether the scanned value is an array or an object; any other value is a single
    /// element without a key.
    var hasElements: Bool { elements != nil }

    deinit { unsafe sqlite3_value_free(container) }

    /// Starts the scan of the elements of a value, the argument of `query_each`.
    ///
    /// - Returns: false if memory is short.
    func begin(_ argument: OpaquePointer?) -> Bool {
        unsafe sqlite3_value_free(container)
        unsafe container = sqlite3_value_dup(argument)
        (elements, current, row) = (nil, nil, 0)
        guard let copy = unsafe container else { return false }
        // A BLOB that isn't an element has no rows; in this function it doesn't count as null.
        switch unsafe QueryValue(copy, damaged: .missing) {
        case .missing: break
        case .array(let content), .object(let content):
            elements = QueryElements(content)
            current = elements?.next()
        case let scalar: current = .init(scalar: scalar)
        }
        return true
    }

    /// Sets the result of a column to the whole value whose elements are scanned.
    func giveContainer(_ context: OpaquePointer?) { unsafe sqlite3_result_value(context, container) }

    /// Moves to the next element.
    func next() {
        current = elements?.next()
        row += 1
    }
}

extension QueryElements.Element {
    /// Creates the single element of a value that is neither an array nor an object: the value itself.
    init(scalar: QueryValue) {
        (index, name, value, place) = (0, nil, scalar, JSONBElement(JSONBType.null, payload: 0..<0))
    }
}
