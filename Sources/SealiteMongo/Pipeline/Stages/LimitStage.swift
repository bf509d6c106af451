internal import SealiteValues

/// The stage `$limit`, which passes on the first `count` rows.
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
