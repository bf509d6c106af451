internal import Foundation
internal import Glibc
package import Testing

// The one way in which tests wait for what they can't be told of. Nothing else in the tests sleeps: `scripts/check-imports.sh` refuses
// it.

/// The time after which a condition that doesn't come true fails a test: five minutes, for a slow machine that has much else to do, or
/// SEALITE_PATIENCE seconds, for builds that are as slow as that of the Thread Sanitizer.
package let waitingLimit = Duration.seconds(
    ProcessInfo.processInfo.environment["SEALITE_PATIENCE"].flatMap { Int64($0) } ?? 300)

/// The pauses between looks: short at first, then longer, so that a long wait costs little.
private struct Pauses {
    let longest: Duration
    private var next = 1.0

    init(longest: Duration) { self.longest = longest }

    mutating func take() -> Duration {
        next = min(next * 1.3, 1000)
        return min(.microseconds(Int64(next * 1000)), longest)
    }
}

/// Waits until a condition holds; records an issue with the name of what is waited for, and returns false, where it doesn't within the
/// time in which it must, which is long, for a machine that has much else to do.
@discardableResult
package func eventually(
    _ what: @autoclosure () -> String = "a condition", within limit: Duration = waitingLimit,
    longestPause: Duration = .milliseconds(20), _ place: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + limit
    var pauses = Pauses(longest: longestPause)
    while true {
        // Looks once more after the time is over: this process may have been the one that got no turn. And after the task was
        // cancelled, which may be the condition.
        let isOver = ContinuousClock.now >= end || Task.isCancelled
        if try await condition() { return true }
        if isOver { break }
        try? await Task.sleep(for: pauses.take())
    }
    Issue.record("waited in vain for \(what())", sourceLocation: place)
    return false
}

/// Does the same as `eventually` in tests that aren't asynchronous: it keeps the thread waiting.
@discardableResult
package func eventuallyBlocking(
    _ what: @autoclosure () -> String = "a condition", within limit: Duration = waitingLimit,
    longestPause: Duration = .milliseconds(20), _ place: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) rethrows -> Bool {
    let end = ContinuousClock.now + limit
    var pauses = Pauses(longest: longestPause)
    while true {
        let isOver = ContinuousClock.now >= end
        if try condition() { return true }
        if isOver { break }
        usleep(UInt32(pauses.take() / .microseconds(1)))
    }
    Issue.record("waited in vain for \(what())", sourceLocation: place)
    return false
}

/// Waits until a number hasn't changed for a second, and returns it: for the end of what goes on by itself, which nobody is told of.
package func settled(isolation: isolated (any Actor)? = #isolation, _ number: () async throws -> Int) async rethrows
    -> Int
{
    var last = try await number()
    var since = ContinuousClock.now
    while ContinuousClock.now < since + .seconds(1), !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(50))
        let new = try await number()
        if new != last { (last, since) = (new, .now) }
    }
    return last
}

/// Lets time pass by a clock that no test can move, on this thread. The reason says why there is nothing to wait for.
package func letTimePass(_ duration: Duration, because reason: StaticString) {
    usleep(UInt32(max(duration, .zero) / .microseconds(1)))
}

/// Lets time pass by a clock that no test can move. The reason says why there is nothing to wait for.
package func letTimePass(_ duration: Duration, because reason: StaticString) async {
    try? await Task.sleep(for: duration)
}
