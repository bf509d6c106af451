import SealiteFile

/// Walks b-trees of a damaged database. Each page is visited at most once, so that cycles and shared subtrees end.
struct TreeWalk {
    let pages: SalvagePages
    var map: PageMap

    private struct Step {
        var page: UInt32
        var after: Int64?
        var through: Int64?
    }

    /// Walks the tree with this root.
    ///
    /// - Parameters:
    ///   - root: the tree's root page.
    ///   - isTable: true for a rowid table, false for an index, including a WITHOUT ROWID table.
    ///   - readsRows: true to read rows, false to claim the pages alone.
    ///   - descends: true to walk the pages below the first one too.
    ///   - event: called for each event.
    /// - Throws: errors of `event`. Damage is an event.
    mutating func walk(
        root: UInt32, isTable: Bool, readsRows: Bool = true, descends: Bool = true,
        event: (TreeEvent) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        var steps = [Step(page: root, after: nil, through: nil)]
        while let step = steps.popLast() {
            guard pages.contains(step.page), !map.isClaimed(step.page), let bytes = pages.text(step.page),
                let page = BTreePage(bytes, number: step.page, usable: pages.usable), page.kind.isTable == isTable
            else {
                try event(.lostTree(page: step.page, after: step.after, through: step.through))
                continue
            }
            map.claim(step.page)
            var bad = page.badCellCount
            let children = try visit(page, step, readsRows, &bad, event)
            if bad > 0, readsRows { try event(.oddCells(page: step.page, count: bad)) }
            if descends { steps += children.reversed() }
        }
    }

    /// Reads the cells of one page, and returns the children of an interior one.
    private mutating func visit(
        _ page: BTreePage, _ step: Step, _ readsRows: Bool, _ bad: inout Int,
        _ event: (TreeEvent) throws(SealedFileError) -> Void
    ) throws(SealedFileError) -> [Step] {
        var children: [Step] = []
        var last = step.after
        for offset in page.cellOffsets {
            guard let cell = page.cell(at: offset) else {
                bad += 1
                continue
            }
            if let child = cell.child {
                children.append(Step(page: child, after: last, through: cell.rowid))
                last = cell.rowid
            }
            if readsRows, page.kind != .tableInterior { try readRow(cell, page, event) }
        }
        if page.kind.isInterior {
            children.append(Step(page: page.rightChild, after: last, through: step.through))
        }
        return children
    }

    private mutating func readRow(
        _ cell: BTreePage.Cell, _ page: BTreePage, _ event: (TreeEvent) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        switch payload(of: cell, in: page) {
        case .success(let payload): try event(.row(page: page.number, rowid: cell.rowid, payload: payload))
        case .failure(let lost):
            try event(.lostRow(page: page.number, rowid: cell.rowid, lostPage: lost.page, prefix: lost.prefix))
        }
    }

    /// Returns whether a page can belong to this row. If pages belong to different commits, an older row may refer to a
    /// page that now belongs to a newer row or to a tree; an overflow page, which begins with a page number, can't look
    /// like a b-tree page.
    private func isFreeToTake(_ number: UInt32) -> Bool {
        pages.mayContradict ? map.content(number) == .other : !map.isClaimed(number)
    }

    private struct LostOverflow: Error {
        let page: UInt32
        let prefix: [UInt8]
    }

    /// Returns the whole payload of a cell, with its part on overflow pages; if one of these is lost, its number and
    /// the payload up to it. https://sqlite.org/fileformat2.html#cell_payload_overflow_pages
    private mutating func payload(of cell: BTreePage.Cell, in page: BTreePage) -> Result<[UInt8], LostOverflow> {
        var payload = Array(page.bytes[cell.local])
        guard var next = cell.overflow else { return .success(payload) }
        var chain: Set<UInt32> = []
        // No memory is reserved: the stated size can't be trusted.
        while payload.count < cell.payloadByteCount {
            guard next > 1, pages.contains(next), isFreeToTake(next), chain.insert(next).inserted,
                let bytes = pages.text(next)
            else { return .failure(LostOverflow(page: next, prefix: payload)) }
            let count = min(cell.payloadByteCount - payload.count, pages.usable - 4)
            payload += bytes[4..<4 + count]
            next = bytes.bigEndian32(at: 0)
        }
        for number in chain { map.claim(number) }
        return .success(payload)
    }
}
