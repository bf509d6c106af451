internal import FoundationEssentials
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// Expressions of the query builder for the metadata of documents: the keys of SQL++'s `META()`.
public enum Meta {
    /// The expression for the document's ID.
    public static var id: any MetaExpressionProtocol { meta(.id) }
    /// The expression for the ID of the document's current revision.
    public static var revisionID: any MetaExpressionProtocol { meta(.revisionID) }
    /// The expression for the sequence of the document's last change: its number in the order of the collection's
    /// changes.
    public static var sequence: any MetaExpressionProtocol { meta(.sequence) }
    /// The expression that is true for deleted documents, which a query includes only if it contains this expression.
    public static var isDeleted: any MetaExpressionProtocol { meta(.deleted) }
    /// The expression for the time at which the document expires, in milliseconds since 1970; MISSING if it doesn't
    /// expire.
    public static var expiration: any MetaExpressionProtocol { meta(.expiration) }

    private static func meta(_ key: MetaKey) -> any MetaExpressionProtocol {
        BuiltExpression(.property(.meta([], .none), [.name(key.rawValue)]))
    }
}
