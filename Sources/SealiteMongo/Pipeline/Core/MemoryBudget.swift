internal import SealiteValues

/// The limit on the memory that all stages of one run of a pipeline hold, and an estimate of the bytes that they hold
/// now.
final class MemoryBudget {
    private let limit: Int
    private var used = 0

    init(limit: Int) { self.limit = limit }

    /// Adds bytes that a stage holds.
    ///
    /// - Throws: `MongoError` 146 if the limit is exceeded.
    func take(_ byteCount: Int, for stage: String) throws {
        used += byteCount
        guard used <= limit else {
            throw MongoError.tooLarge(
                "The stages of a pipeline hold more than \(limit) bytes in total, its memoryLimit; the last to grow was \(stage)."
            )
        }
    }

    /// Subtracts bytes that a stage no longer holds.
    func giveBack(_ byteCount: Int) { used -= byteCount }

    /// Runs `work` and subtracts the bytes that were added meanwhile: those of a nested pipeline that `work` opens and
    /// reads to its end, whose stages hold nothing afterwards.
    func releasing<Result>(_ work: () throws -> Result) rethrows -> Result {
        let before = used
        defer { used = before }
        return try work()
    }
}
