internal import SealiteFile

/// Options for restoring a backup.
public struct RestoreOptions: Sendable {
    /// A Boolean value that says whether an existing database may be replaced. It is renamed, never removed.
    public var replacesExisting: Bool

    /// Creates options. By default nothing is replaced.
    public init(replacesExisting: Bool = false) { self.replacesExisting = replacesExisting }
}
