import SealiteFile

/// The state of each page of a damaged database, in one byte: the kind of its content, whether it is on the freelist,
/// and whether a walk through a b-tree has claimed it.
struct PageMap {
    enum Content: UInt8 {
        case other, tableLeaf, tableInterior, indexLeaf, indexInterior, neverWritten, lost, lockByte

        init(_ kind: BTreePage.Kind) {
            self =
                switch kind {
                case .tableLeaf: .tableLeaf
                case .tableInterior: .tableInterior
                case .indexLeaf: .indexLeaf
                case .indexInterior: .indexInterior
                }
        }
    }

    private static let claimedBit: UInt8 = 0x80
    private static let freeBit: UInt8 = 0x40
    private var states: [UInt8]

    /// A Boolean value that says whether the whole freelist could be read. If not, free pages with deleted rows may be
    /// taken for pages of lost tables.
    private(set) var freelistIsComplete = true
    private(set) var freeCount = 0

    /// Reads every page once to determine its kind. `progress` receives the number of examined pages and the total.
    init(_ pages: SalvagePages, progress: (Int, Int) throws(SealedFileError) -> Void) throws(SealedFileError) {
        states = [UInt8](repeating: 0, count: Int(pages.pageCount) + 1)
        for number in 1...max(1, pages.pageCount) where number <= pages.pageCount {
            states[Int(number)] = Self.classify(number, pages).rawValue
            if number % 256 == 0 { try progress(Int(number), Int(pages.pageCount)) }
        }
        readFreelist(pages)
        if pages.mayContradict { freelistIsComplete = false }
        markPointerMap(pages)
    }

    private static func classify(_ number: UInt32, _ pages: SalvagePages) -> Content {
        guard number != pages.lockBytePage else { return .lockByte }
        switch pages.read(number) {
        case .lost: return .lost
        case .neverWritten: return .neverWritten
        case .text(let bytes):
            let page = BTreePage(bytes, number: number, usable: pages.usable)
            return page.map { Content($0.kind) } ?? .other
        }
    }

    func content(_ number: UInt32) -> Content {
        Content(rawValue: states[Int(number)] & ~(Self.claimedBit | Self.freeBit)) ?? .other
    }

    func isFree(_ number: UInt32) -> Bool { states[Int(number)] & Self.freeBit != 0 }

    func isClaimed(_ number: UInt32) -> Bool { states[Int(number)] & Self.claimedBit != 0 }

    mutating func claim(_ number: UInt32) { states[Int(number)] |= Self.claimedBit }

    var numbers: Range<UInt32> { 1..<UInt32(states.count) }

    /// Returns the ranges of pages whose content is of one kind, without the free pages.
    func ranges(of content: Content) -> [ClosedRange<UInt32>] {
        var ranges: [ClosedRange<UInt32>] = []
        for number in numbers where self.content(number) == content && !isFree(number) {
            if let last = ranges.last, last.upperBound + 1 == number {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges
    }

    // MARK: Pages that hold nothing

    /// Marks the free pages. https://sqlite.org/fileformat2.html#the_freelist
    private mutating func readFreelist(_ pages: SalvagePages) {
        guard let pageOne = pages.text(1) else {
            freelistIsComplete = false
            return
        }
        var trunk = pageOne.bigEndian32(at: 32)
        while trunk != 0 {
            guard trunk != 1, pages.contains(trunk), !isFree(trunk), let bytes = pages.text(trunk) else {
                freelistIsComplete = false
                return
            }
            free(trunk)
            let count = min(Int(bytes.bigEndian32(at: 4)), pages.usable / 4 - 2)
            for index in 0..<count {
                let leaf = bytes.bigEndian32(at: 8 + 4 * index)
                if leaf != 1, pages.contains(leaf), !isFree(leaf) { free(leaf) }
            }
            trunk = bytes.bigEndian32(at: 0)
        }
    }

    private mutating func free(_ number: UInt32) {
        states[Int(number)] |= Self.freeBit
        freeCount += 1
    }

    /// Marks the pointer-map pages of a file with auto-vacuum, which can look like b-trees.
    /// https://sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages
    private mutating func markPointerMap(_ pages: SalvagePages) {
        guard let pageOne = pages.text(1), pageOne.bigEndian32(at: 52) != 0 else { return }
        let distance = UInt32(pages.usable / 5 + 1)
        var number: UInt32 = 2
        while number <= pages.pageCount {
            let place = number == pages.lockBytePage ? number + 1 : number
            if place <= pages.pageCount { claim(place) }
            let (next, overflow) = number.addingReportingOverflow(distance)
            if overflow { return }
            number = next
        }
    }
}
