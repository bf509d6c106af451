import SealiteFile

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
