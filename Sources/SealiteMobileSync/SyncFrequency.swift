internal import SealiteCredentials

/// The sync schedule.
public enum SyncFrequency: Sendable, Hashable {
    /// Continuously: a connection stays open, and changes on either side are sent immediately.
    case reactive
    /// In passes, at regular intervals.
    case scheduled(every: Duration)
    /// In passes, whenever ``MobileSync/syncNow()`` is called.
    case onDemand
}
