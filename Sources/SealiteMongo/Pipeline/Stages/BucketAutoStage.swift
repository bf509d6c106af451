internal import SealiteValues

/// The stage `$bucketAuto`, which distributes rows into groups of about the same number of rows.
struct BucketAutoStage: Stage {
    let key: ExpressionNode
    let count: Int
    let members: AccumulatedMembers
    let series: PreferredNumbers?

    private struct Entry {
        let value: BSON
        let row: Row
    }

    func open(_ input: RowCursor, _ run: PipelineRun) throws -> RowCursor {
        .deferred {
            let evaluation = run.evaluation()
            var (input, entries) = (input, [Entry]())
            while let row = try input.next() {
                evaluation.row = row
                let value = try key.value(evaluation) ?? .null
                if series != nil { try PreferredNumbers.check(value) }
                try run.memory.take(row.memoryByteCount + value.memoryByteCount, for: "$bucketAuto")
                entries.append(Entry(value: value, row: row))
            }
            try entries.sort { try run.work.compare($0.value, $1.value) < 0 }
            return run.cursor(try buckets(entries, evaluation, run))
        }
    }

    private func buckets(_ entries: [Entry], _ evaluation: Evaluation, _ run: PipelineRun) throws -> [Row] {
        let (size, rest) = entries.count.quotientAndRemainder(dividingBy: count)
        var rows: [Row] = []
        var start = 0
        var lower: BSON?
        while start < entries.count, rows.count < count {
            let isLast = rows.count == count - 1
            // Each of the first buckets gets one of the remaining rows.
            let wanted = max(1, size + (rows.count < rest ? 1 : 0))
            var end = isLast ? entries.count : min(start + wanted, entries.count)
            var upper = entries[end - 1].value
            if let series, let rounded = series.next(above: upper) { upper = rounded }
            // Rows with equal values, and those below a rounded boundary, stay in one bucket.
            while end < entries.count,
                series == nil
                    ? entries[end].value.isSame(as: entries[end - 1].value) : entries[end].value.compared(to: upper) < 0
            { end += 1 }
            if series == nil, end < entries.count { upper = entries[end].value }
            let minimum = lower ?? series?.last(below: entries[start].value) ?? entries[start].value
            rows.append(Row(try bucket(entries[start..<end], minimum, upper, evaluation, run)))
            lower = upper
            start = end
        }
        return rows
    }

    private func bucket(
        _ entries: ArraySlice<Entry>, _ minimum: BSON, _ maximum: BSON, _ evaluation: Evaluation, _ run: PipelineRun
    ) throws -> MongoDocument {
        let accumulators = try members.make(evaluation)
        for entry in entries {
            evaluation.row = entry.row
            try run.memory.take(try members.add(evaluation, to: accumulators), for: "$bucketAuto")
        }
        var document: MongoDocument = ["_id": ["min": minimum, "max": maximum]]
        try members.append(accumulators, to: &document)
        return document
    }
}
