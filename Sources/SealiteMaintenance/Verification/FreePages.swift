import SealiteFile

/// SQLite's list of free pages. https://sqlite.org/fileformat2.html#the_freelist
struct FreePages {
    let pageCount: UInt32
    /// The number of bytes of a page that SQLite uses.
    let usable: Int

    /// Returns the pages in `ranges` that are leaf pages of the freelist, in ascending order. Reading stops at a trunk
    /// page that can't be read, so further free pages are then missing.
    func leaves(
        among ranges: PageRanges, read: (UInt32) throws(VFSFailure) -> [UInt8]?
    ) throws(VFSFailure) -> [UInt32] {
        var found: Set<UInt32> = []
        guard let pageOne = try read(1) else { return [] }
        var trunk = WALHeader.readUInt32(pageOne, at: 32)
        var visited: Set<UInt32> = []
        while trunk != 0, trunk <= pageCount, visited.insert(trunk).inserted, let page = try read(trunk) {
            let count = min(Int(WALHeader.readUInt32(page, at: 4)), usable / 4 - 2)
            for index in 0..<max(0, count) {
                let leaf = WALHeader.readUInt32(page, at: 8 + 4 * index)
                if ranges.contains(leaf) { found.insert(leaf) }
            }
            trunk = WALHeader.readUInt32(page, at: 0)
        }
        return found.sorted()
    }
}
