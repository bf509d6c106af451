internal import SealiteCredentials

/// The sync schedule.
public enum SyncFrequency: Sendable, Hashable {
    /// A connection stays open, and changes on either side are sent immediately.
    case reactive
    /// A pass, which connects, syncs and disconnects, at regular intervals.
    case scheduled(every: Duration)
    /// A pass, which connects, syncs and disconnects, when ``MobileSync/syncNow()`` is called.
    case onDemand
}
