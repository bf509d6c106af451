internal import SealiteFile

/// A kind of maintenance.
public enum MaintenanceType: String, Sendable, CaseIterable {
    /// Removes blobs that no document refers to, except those stored within the last day that still wait for their
    /// first reference, and returns free space to the file system. Needs as much free disk space as the file takes.
    case compact
    /// Rebuilds the indexes.
    case reindex
    /// Checks that all stored data is undamaged and follows the format.
    case integrityCheck
    /// Gathers statistics for queries if they are outdated.
    case optimize
    /// Gathers statistics for queries from all data.
    case fullOptimize
}
