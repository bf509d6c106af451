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
