import Foundation

/// Waits for asynchronous work, and returns its result.
func awaited<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    let box = Box<Value>()
    Task.detached {
        do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
        done.signal()
    }
    done.wait()
    guard let result = box.result else { throw CancellationError() }
    return try result.get()
}

/// A place for the result of a task.
// Sendable: a semaphore orders the two threads that use it.
private final class Box<Value>: @unchecked Sendable {
    var result: Swift.Result<Value, any Error>?
}
