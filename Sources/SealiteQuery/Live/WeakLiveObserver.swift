internal import SealiteDatabase
internal import SealiteQueryLanguage

/// A reference that doesn't keep the observer alive.
struct WeakLiveObserver: Sendable {
    weak let observer: LiveObserver?
}
