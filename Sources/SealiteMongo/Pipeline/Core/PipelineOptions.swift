public import SealiteValues

/// The options of a run of a pipeline.
public struct PipelineOptions: Sendable {
    /// The time of `$$NOW`.
    public var now: DateTime
    /// The number of bytes that stages may hold in total, by estimate: groups, sorted rows, facets. A run that needs
    /// more throws `MongoError` 146.
    public var memoryLimit: Int

    /// Creates options.
    public init(now: DateTime, memoryLimit: Int = 256 * 1024 * 1024) {
        (self.now, self.memoryLimit) = (now, memoryLimit)
    }
}
