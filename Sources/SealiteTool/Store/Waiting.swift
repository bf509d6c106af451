import Dispatch
import SealiteCrypto
import SealiteFile
import Synchronization

/// Runs what the library does asynchronously, for a command that has nothing else to do meanwhile.
func waiting<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) throws -> R {
    let outcome = Outcome<R>()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        let result: Result<R, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        outcome.result.withLock { $0 = result }
        done.signal()
    }
    done.wait()
    guard let result = outcome.result.withLock({ $0 }) else {
        throw ToolError(.internalError, code: "internal-error", "the work ended without a result")
    }
    return try result.get()
}

private final class Outcome<R: Sendable>: Sendable {
    let result = Mutex<Result<R, any Error>?>(nil)
}

/// Carries a secret out of asynchronous work.
final class SecretSlot: Sendable {
    private let content = Mutex<SecretBox?>(nil)

    func put(_ secret: consuming SecretBytes) {
        let box = SecretBox(secret)
        content.withLock { $0 = box }
    }

    func take() -> SecretBytes? { content.withLock { $0 }?.take() }
}

/// Carries a slot's new secret into asynchronous work, once.
final class NewSlotBox: Sendable {
    private let content: Mutex<NewSlotSecret?>

    init(_ secret: consuming NewSlotSecret) { content = Mutex(secret) }

    func take() throws(ToolError) -> NewSlotSecret {
        guard let secret = content.withLock({ $0.take() }) else { throw ToolError.usedTwice }
        return secret
    }
}

/// Carries a key into asynchronous work, once.
final class UnlockBox: Sendable {
    private let content: Mutex<UnlockKey?>

    init(_ key: consuming UnlockKey) { content = Mutex(key) }

    func take() throws(ToolError) -> UnlockKey {
        guard let key = content.withLock({ $0.take() }) else { throw ToolError.usedTwice }
        return key
    }
}

extension ToolError {
    fileprivate static var usedTwice: ToolError {
        ToolError(.internalError, code: "internal-error", "a secret was used twice")
    }
}
