import SealiteFile

/// Something that a walk through a b-tree came upon.
enum TreeEvent {
    /// A row: the page that its cell lies in, its rowid in a table, and its whole payload.
    case row(page: UInt32, rowid: Int64?, payload: [UInt8])
    /// A row whose overflow pages aren't all there, and its payload up to the first that is missing.
    case lostRow(page: UInt32, rowid: Int64?, lostPage: UInt32, prefix: [UInt8])
    /// A cell that isn't one, or a page with pointers that lead out of it.
    case oddCells(page: UInt32, count: Int)
    /// A subtree whose page isn't there, and the rowids that it held: after the one, up to and with the other.
    case lostTree(page: UInt32, after: Int64?, through: Int64?)
}

/// Walks b-trees of a damaged database. Every page is claimed once, so that cycles and trees grown into each other end.
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
    ///   - root: its first page.
    ///   - isTable: a rowid table, or an index (which a WITHOUT ROWID table is too).
    ///   - readsRows: true where rows are wanted, false for the claim to the pages alone.
    ///   - descends: true where the pages below the first one are walked too.
    ///   - event: told what comes.
    /// - Throws: what `event` throws. Damage is an event.
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

    /// Returns whether a page can belong to this row. Where pages are of different commits an older row may name one that is a newer
    /// row's, or a part of a tree now: no page number is high enough to make an overflow page look like that.
    private func isFreeToTake(_ number: UInt32) -> Bool {
        pages.mayContradict ? map.content(number) == .other : !map.isClaimed(number)
    }

    private struct LostOverflow: Error {
        let page: UInt32
        let prefix: [UInt8]
    }

    /// A payload with its overflow chain. https://sqlite.org/fileformat2.html#cell_payload_overflow_pages
    private mutating func payload(of cell: BTreePage.Cell, in page: BTreePage) -> Result<[UInt8], LostOverflow> {
        var payload = Array(page.bytes[cell.local])
        guard var next = cell.overflow else { return .success(payload) }
        var chain: Set<UInt32> = []
        // No room is made ahead: the stated size is a number like any other.
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
