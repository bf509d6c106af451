/// Waits until a condition holds; returns false if it doesn't within a minute.
package func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    for _ in 0..<6_000 {
        if try await condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return false
}
