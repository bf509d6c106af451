/// The effect of a difference between two schemas, from the least to the greatest.
public enum SchemaImpact: String, Sendable, Hashable, CaseIterable, Comparable {
    /// No effect on documents and applications.
    case none
    /// More documents conform than before: documents may have values that they couldn't have before.
    case widening
    /// Applications with the old schema and applications with the new schema can use the database at the same time.
    case nonBreaking
    /// Documents that conformed may no longer conform.
    case narrowing
    /// Applications with the old schema don't work with the new schema.
    case breaking

    /// Returns whether the left effect is less than the right one.
    public static func < (left: SchemaImpact, right: SchemaImpact) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
