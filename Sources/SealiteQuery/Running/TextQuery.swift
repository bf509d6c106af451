internal import SealiteDatabase
internal import SealiteFile
internal import SealiteQueryLanguage

/// A query that was created from text or from a syntax tree.
@safe
// Sendable: its one property is immutable.
final class TextQuery: Query, @unchecked Sendable {
    private let origin: QuerySourceText

    init(_ origin: QuerySourceText) { self.origin = origin }

    override func source() throws -> QuerySourceText { origin }
}
