internal import SealiteValues

/// The accumulator of `$mergeObjects`: a document with the members of all values, which must be documents. Of several
/// members with one name, the last one counts.
final class MergeAccumulator: Accumulator {
    private var document = MongoDocument()

    func add(_ value: BSON?) throws -> Int {
        if value.isNullish { return 0 }
        guard case .document(let added) = value else {
            throw MongoError(code: 40400, "$mergeObjects takes objects, not \(value.typeName).")
        }
        document.merge(added)
        return value?.memoryByteCount ?? 0
    }

    func result() -> BSON { .document(document) }
}
