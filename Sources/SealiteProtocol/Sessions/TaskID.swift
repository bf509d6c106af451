/// Identifies a task that a session has requested from its owner, until its result arrives.
package struct TaskID: Hashable, Sendable, Comparable {
    let value: UInt64

    package static func < (left: TaskID, right: TaskID) -> Bool { left.value < right.value }
}
