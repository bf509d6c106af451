internal import SealiteCredentials

/// The schedule by which documents are synced.
public enum SyncFrequency: Sendable, Hashable {
    /// A connection stays open, and changes on either side are sent immediately.
    case reactive
    /// At regular intervals, one pass: it connects, sends and receives all changes, and disconnects.
    case scheduled(every: Duration)
    /// One pass for each call of ``MobileSync/syncNow()``: it connects, sends and receives all changes, and
    /// disconnects.
    case onDemand
}
