internal import SealiteDatabase
internal import SealiteQueryLanguage

/// A weak reference to an observer of a query, which doesn't keep it alive.
struct WeakLiveObserver: Sendable {
    weak let observer: LiveObserver?
}
