import SealiteFile

/// A parsed b-tree page, with every bound checked. https://sqlite.org/fileformat2.html#b_tree_pages
struct BTreePage {
    enum Kind: UInt8 {
        case indexInterior = 2
        case tableInterior = 5
        case indexLeaf = 10
        case tableLeaf = 13

        var isInterior: Bool { self == .indexInterior || self == .tableInterior }
        var isTable: Bool { self == .tableInterior || self == .tableLeaf }
    }

    let kind: Kind
    let number: UInt32
    let bytes: [UInt8]
    /// The offsets in the page of the cells whose pointers lead into the page's content.
    let cellOffsets: [Int]
    /// The number of cell pointers that don't lead into the content area of the page.
    let badCellCount: Int
    /// The number of the last child page of an interior page; 0 for a leaf.
    let rightChild: UInt32
    private let usable: Int

    /// Parses the bytes of a page, of which SQLite uses the first `usable`; nil if it isn't a b-tree page.
    init?(_ bytes: [UInt8], number: UInt32, usable: Int) {
        let start = number == 1 ? 100 : 0
        guard bytes.count >= usable, let kind = Kind(rawValue: bytes[start]) else { return nil }
        let headerByteCount = kind.isInterior ? 12 : 8
        let cellCount = bytes.bigEndian16(at: start + 3)
        let arrayStart = start + headerByteCount
        let arrayEnd = arrayStart + 2 * cellCount
        let contentStart = bytes.bigEndian16(at: start + 5)
        guard arrayEnd <= usable, (arrayEnd...usable).contains(contentStart) else { return nil }
        var offsets: [Int] = []
        offsets.reserveCapacity(cellCount)
        for index in 0..<cellCount {
            let offset = bytes.bigEndian16(at: arrayStart + 2 * index)
            if offset >= arrayEnd, offset + 4 <= usable { offsets.append(offset) }
        }
        self.kind = kind
        self.number = number
        self.bytes = bytes
        self.usable = usable
        cellOffsets = offsets
        badCellCount = cellCount - offsets.count
        rightChild = kind.isInterior ? bytes.bigEndian32(at: start + 8) : 0
    }

    /// The content of one cell; parts that its kind of page doesn't have are nil.
    struct Cell {
        var child: UInt32?
        var rowid: Int64?
        /// The size of the whole payload in bytes.
        var payloadByteCount = 0
        /// The range in the page of the part of the payload that the page itself stores.
        var local = 0..<0
        /// The number of the first overflow page; nil if the page stores the whole payload.
        var overflow: UInt32?
    }

    /// Parses the cell at an offset in the page; nil if it extends beyond the page.
    func cell(at start: Int) -> Cell? {
        var cell = Cell()
        var offset = start
        if kind.isInterior {
            guard offset + 4 <= usable else { return nil }
            cell.child = bytes.bigEndian32(at: offset)
            offset += 4
        }
        if kind == .tableInterior {
            guard let key = bytes.varint(at: offset, end: usable) else { return nil }
            cell.rowid = Int64(bitPattern: key.value)
            return cell
        }
        guard let size = bytes.varint(at: offset, end: usable), size.value <= UInt64(Int32.max) else { return nil }
        offset += size.byteCount
        if kind == .tableLeaf {
            guard let key = bytes.varint(at: offset, end: usable) else { return nil }
            cell.rowid = Int64(bitPattern: key.value)
            offset += key.byteCount
        }
        cell.payloadByteCount = Int(size.value)
        let localByteCount = localByteCount(of: cell.payloadByteCount)
        guard offset + localByteCount <= usable else { return nil }
        cell.local = offset..<offset + localByteCount
        if localByteCount < cell.payloadByteCount {
            guard cell.local.upperBound + 4 <= usable else { return nil }
            cell.overflow = bytes.bigEndian32(at: cell.local.upperBound)
        }
        return cell
    }

    /// Returns the number of payload bytes that are stored in the page itself.
    /// https://sqlite.org/fileformat2.html#cell_payload
    private func localByteCount(of payload: Int) -> Int {
        let most = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
        guard payload > most else { return payload }
        let least = (usable - 12) * 32 / 255 - 23
        let fitting = least + (payload - least) % (usable - 4)
        return fitting <= most ? fitting : least
    }
}

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

/// An event of a walk through a b-tree of a damaged database.
enum TreeEvent {
    /// A row: the page of its cell, its rowid in a table, and its whole payload.
    case row(page: UInt32, rowid: Int64?, payload: [UInt8])
    /// A row with missing overflow pages: the number of the first of these pages, and the payload up to it.
    case lostRow(page: UInt32, rowid: Int64?, lostPage: UInt32, prefix: [UInt8])
    /// The number of cells of a page that can't be read, because they are invalid or their pointers lead out of the
    /// page.
    case oddCells(page: UInt32, count: Int)
    /// A subtree whose topmost page is lost. Its rowids were above `after`, up to and including `through`; nil means no
    /// bound.
    case lostTree(page: UInt32, after: Int64?, through: Int64?)
}

/// Finds, for a page that belongs to no known b-tree, the topmost page from which it can be reached.
struct OrphanRoots {
    private var parents: [UInt32: UInt32] = [:]

    init(_ walk: TreeWalk) {
        let map = walk.map
        for number in map.numbers where !map.isClaimed(number) && !map.isFree(number) {
            guard [.tableInterior, .indexInterior].contains(map.content(number)), let bytes = walk.pages.text(number),
                let page = BTreePage(bytes, number: number, usable: walk.pages.usable)
            else { continue }
            let children = page.cellOffsets.compactMap { page.cell(at: $0)?.child } + [page.rightChild]
            for child in children where walk.pages.contains(child) && parents[child] == nil { parents[child] = number }
        }
    }

    func root(of number: UInt32) -> UInt32 {
        var (root, steps) = (number, 0)
        // Twice as deep as any tree: parent pages may form a cycle.
        while let parent = parents[root], steps < 64 { (root, steps) = (parent, steps + 1) }
        return root
    }
}
