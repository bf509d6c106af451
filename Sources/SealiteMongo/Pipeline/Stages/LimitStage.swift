internal import SealiteValues

/// `$limit`.
struct LimitStage: Stage {
    let count: Int

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        var (input, left) = (input, count)
        return RowCursor {
            guard left > 0 else { return nil }
            left -= 1
            return try input.next()
        }
    }
}
