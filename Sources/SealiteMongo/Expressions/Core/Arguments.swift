internal import SealiteValues

/// The values of an operator's arguments, nil for missing ones, and the work to which the operator charges what it does
/// with them.
struct Arguments: RandomAccessCollection {
    private let values: [BSON?]
    let work: WorkMeter

    init(_ values: [BSON?], _ work: WorkMeter) { (self.values, self.work) = (values, work) }

    var startIndex: Int { 0 }
    var endIndex: Int { values.count }

    subscript(index: Int) -> BSON? { values[index] }

    /// Charges one pass over the values, not counting those nested in them. Operators that do more charge it themselves.
    @inline(__always)
    func chargePass() throws {
        var units = 1
        for value in values {
            switch value {
            case .string(let text): units += text.utf8.count >> 6
            case .array(let items): units += items.count
            case .document(let document): units += document.count
            default: break
            }
        }
        try work.charge(units)
    }
}
