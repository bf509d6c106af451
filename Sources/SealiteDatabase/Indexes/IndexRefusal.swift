internal import SealiteJSON
internal import SealiteValues

/// The reason for which an index refuses a document that this process writes.
package enum IndexRefusal: Error, Sendable {
    /// Another document has the same values in a unique index.
    case duplicate
    /// Two paths of the index lead through different arrays of the document or, in a unique index, through one array.
    case parallelArrays
    /// A value is too long for a unique index, or the document has too many values for it.
    case tooLong

    /// Returns the error for a write that the index with a name refuses for this reason.
    func error(_ index: String) -> DatabaseError {
        let reason =
            switch self {
            case .duplicate: "another document has the same values in the unique index \"\(index)\""
            case .parallelArrays:
                "two paths of the index \"\(index)\" lead through arrays of the document: they mustn't lead through different arrays or, in a unique index, through one array"
            case .tooLong:
                "the document can't be in the unique index \"\(index)\": its value there takes \(OrderKey.maximumByteCount) bytes or more, or it has more than \(PathEntries.limit) values"
            }
        return DatabaseError(.refusedByIndex, reason, underlying: NamedIndexRefusal(refusal: self, index: index))
    }
}
