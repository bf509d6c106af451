internal import NIOCore
internal import SealiteBase

/// Checks the password of an open connection again from time to time, and closes the connection once the password has
/// been changed or removed.
struct PasswordRecheck: Sendable {
    /// The time between two checks.
    let interval: Duration
    let time: any TimeSource
    /// Returns whether the password with which the connection was opened is still right. Throws if passwords can't be
    /// checked at the moment, for example because the store is locked; the connection then stays open.
    let isStillRight: @Sendable () async throws -> Bool

    /// Starts the periodic checks, which end when the channel is closed. If the password is no longer right, closes the
    /// connection.
    ///
    /// The close code 4001 makes a continuous replicator connect again; this attempt is refused with 401, which the
    /// replicator reports to the user.
    func run(on channel: any Channel, handler: NIOLoopBound<WebSocketHandler>) {
        let task = Task {
            while try await isRight() {}
            channel.eventLoop.execute {
                handler.value.close(code: 4_001, reason: "the password was changed or removed: log in again")
            }
        }
        channel.closeFuture.whenComplete { _ in task.cancel() }
    }

    private func isRight() async throws -> Bool {
        try await time.sleep(until: time.now + interval)
        do {
            return try await isStillRight()
        } catch {
            try Task.checkCancellation()
            return true
        }
    }
}
