internal import FoundationEssentials
internal import SealiteDatabase
internal import SealiteQueryLanguage

/// The keys of META.
public enum Meta {
    /// The document's ID.
    public static var id: any MetaExpressionProtocol { meta(.id) }
    /// The ID of the document's revision.
    public static var revisionID: any MetaExpressionProtocol { meta(.revisionID) }
    /// The sequence of the document's last change.
    public static var sequence: any MetaExpressionProtocol { meta(.sequence) }
    /// True for deleted documents, which a query includes only if it mentions this key.
    public static var isDeleted: any MetaExpressionProtocol { meta(.deleted) }
    /// The time at which the document expires, in milliseconds since 1970; MISSING if the document doesn't expire.
    public static var expiration: any MetaExpressionProtocol { meta(.expiration) }

    private static func meta(_ key: MetaKey) -> any MetaExpressionProtocol {
        BuiltExpression(.property(.meta([], .none), [.name(key.rawValue)]))
    }
}
