/// Maps the bytes of a rollback journal as SQLite sees it, the logical journal, to the units (encrypted blocks) of the
/// sealed journal file. Where two units contain the same logical byte, the later one counts.
package struct JournalMap {
    /// A run of logical bytes in one unit, or in consecutive full units.
    private struct Segment {
        var start: Int64
        var end: Int64
        /// The index of the unit that holds the byte at `start`.
        var unit: Int
        /// The offset of that byte in the unit's payload.
        var payloadOffset: Int
    }

    /// The segments, sorted by start and without overlap.
    private var segments: [Segment] = []
    package private(set) var byteCount: Int64 = 0

    /// Records which bytes of the logical journal a journal unit contains or cuts off, according to the unit's header.
    /// Units must be added in their order in the file.
    package mutating func add(unit: Int, _ header: JournalUnitHeader) {
        assert(unit >= 0 && header.logicalOffset >= 0)
        switch header.kind {
        case .mark: return
        case .cut: cut(to: header.logicalOffset)
        case .data: place(unit, from: header.logicalOffset, byteCount: header.payloadByteCount)
        }
    }

    private mutating func place(_ unit: Int, from start: Int64, byteCount count: Int) {
        guard count > 0 else { return }
        assert(count <= JournalLayout.payloadByteCount, "a payload fits into its unit")
        let end = start + Int64(count)
        byteCount = max(byteCount, end)
        if let last = segments.last, last.end == start, continues(last, with: unit) {
            segments[segments.count - 1].end = end
            return
        }
        if let last = segments.last, last.end > start { carve(from: start, to: end) }
        let index = firstSegment(endingAfter: start)
        assert(index == 0 || segments[index - 1].end <= start, "segments don't overlap")
        assert(index == segments.count || segments[index].start >= end, "segments don't overlap")
        segments.insert(Segment(start: start, end: end, unit: unit, payloadOffset: 0), at: index)
    }

    private func continues(_ segment: Segment, with unit: Int) -> Bool {
        let span = Int64(segment.payloadOffset) + segment.end - segment.start
        let full = Int64(JournalLayout.payloadByteCount)
        return span % full == 0 && segment.unit + Int(span / full) == unit
    }

    /// Removes a range of logical bytes from the existing segments.
    private mutating func carve(from start: Int64, to end: Int64) {
        var index = firstSegment(endingAfter: start)
        while index < segments.count, segments[index].start < end {
            let old = segments[index]
            var rest: [Segment] = []
            if old.start < start {
                var front = old
                front.end = start
                rest.append(front)
            }
            if old.end > end { rest.append(shifted(old, to: end)) }
            segments.replaceSubrange(index...index, with: rest)
            index += rest.count
        }
    }

    private func shifted(_ segment: Segment, to start: Int64) -> Segment {
        assert(start >= segment.start && start < segment.end, "the rest of a segment isn't empty")
        let position = Int64(segment.payloadOffset) + start - segment.start
        let full = Int64(JournalLayout.payloadByteCount)
        return Segment(
            start: start, end: segment.end, unit: segment.unit + Int(position / full),
            payloadOffset: Int(position % full))
    }

    private mutating func cut(to size: Int64) {
        if byteCount > size { carve(from: size, to: byteCount) }
        assert(segments.last.map { $0.end <= size } ?? true, "no segment goes beyond the cut")
        byteCount = size
    }

    private func firstSegment(endingAfter offset: Int64) -> Int {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].end <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns whether units contain all bytes of a range, which begins at a logical offset.
    package func contains(_ offset: Int64, byteCount count: Int) -> Bool {
        var done = 0
        while done < count {
            let found = find(offset + Int64(done))
            guard found.unit != nil, found.byteCount > 0 else { return false }
            done += found.byteCount
        }
        return true
    }

    /// Returns the unit that contains a logical byte, the byte's offset in the unit's payload, and the number of bytes
    /// from there on that are contiguous in the payload. For a byte that was never written, `unit` is nil and
    /// `byteCount` is the distance to the next written byte or to the end of the journal.
    func find(_ offset: Int64) -> (unit: Int?, payloadOffset: Int, byteCount: Int) {
        let index = firstSegment(endingAfter: offset)
        guard index < segments.count else { return (nil, 0, Int(max(0, byteCount - offset))) }
        let segment = segments[index]
        guard segment.start <= offset else { return (nil, 0, Int(segment.start - offset)) }
        let at = shifted(segment, to: offset)
        let within = min(segment.end - offset, Int64(JournalLayout.payloadByteCount - at.payloadOffset))
        assert(within > 0, "who reads goes on")
        return (at.unit, at.payloadOffset, Int(within))
    }
}
