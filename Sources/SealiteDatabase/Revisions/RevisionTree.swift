internal import SealiteRevisions

/// The revisions of one document: the current one, its ancestors, the branches that conflict with it, and the revision
/// that each peer is known to have. The depth is bounded; bodies are stored while they may be needed.
struct RevisionTree: Equatable {
    /// The properties of one revision, apart from its position in the tree.
    struct Flags: OptionSet {
        let rawValue: UInt8
        /// The revision is a tombstone.
        static let deleted = Flags(rawValue: 1)
        /// The revision is the leaf of a branch from a peer whose conflict waits for resolution.
        static let conflict = Flags(rawValue: 4)
        /// The revision is the leaf of a branch that no longer conflicts with the current revision, for example because
        /// its conflict was resolved.
        static let closed = Flags(rawValue: 8)
        static let all: Flags = [.deleted, .conflict, .closed]
    }

    /// The end of the histories of a document at a remote, behind the versions.
    ///
    /// Couchbase Lite keeps the one tree revision that its first version of the document replaced, and takes a later
    /// version for a conflict unless the history that it receives has the same one as its newest tree id, or none if
    /// Couchbase Lite has none.
    enum HistoryEnd: Equatable {
        /// The remote had no tree of the document.
        case nothing
        /// The revision that was current when the remote got its first version.
        case revision(RevisionID)
    }

    /// One revision with its position in the tree.
    struct Node: Equatable {
        var id: RevisionID
        var flags: Flags
        /// The index of the parent in `nodes`, nil if no older revision is known.
        var parent: Int?
        /// The JSONB body of a revision that waits for the resolution of a conflict, or that may become current. The current
        /// revision's body is stored in the row instead, those of earlier revisions among the tree's bases.
        var body: [UInt8]?
        /// The version vector of the revision, or the ids of the tree that the document had before its first version;
        /// nil in a revision tree, whose nodes have parents instead.
        var history: VersionHistory?
    }

    /// The revisions; the first one is the current one.
    var nodes: [Node]
    /// The index of the node that is each remote's known current revision, by the remote's number.
    private(set) var remotes: [Int: Int] = [:]
    /// The end of the histories that each remote expects, as far as known, by the remote's number. Only for documents
    /// that have versions and had a revision tree before.
    private(set) var ends: [Int: HistoryEnd] = [:]
    /// The bodies of earlier revisions that are kept for deltas. They belong to the stored body: only
    /// `Transaction.save` and `Transaction.update` replace both.
    var bases = DeltaBases()

    var current: Node { nodes[0] }

    func index(of id: RevisionID) -> Int? { nodes.firstIndex { $0.id == id } }

    /// Returns the indexes of the ancestors of the node at an index, nearest first, without the node itself.
    func ancestors(of index: Int) -> [Int] {
        var line: [Int] = []
        var next = nodes[index].parent
        while let found = next {
            line.append(found)
            assert(line.count < nodes.count, "no revision is its own ancestor")
            next = nodes[found].parent
        }
        return line
    }

    /// Returns whether the node at the index `ancestor` is an ancestor of the node at `index`. For nodes with
    /// histories: whether the history of the latter contains the former.
    func isAncestor(_ ancestor: Int, of index: Int) -> Bool {
        guard let history = nodes[index].history, let other = nodes[ancestor].history else {
            return ancestors(of: index).contains(ancestor)
        }
        return ancestor != index && history.knows(other)
    }

    /// The indexes of the nodes without children; all indexes if the nodes have histories in place of parents.
    var leaves: [Int] {
        let parents = Set(nodes.compactMap(\.parent))
        return nodes.indices.filter { !parents.contains($0) }
    }

    /// The indexes of the leaves with a conflict that waits for resolution.
    var conflicts: [Int] { leaves.filter { nodes[$0].flags.contains(.conflict) } }

    /// Returns the revision that is known to be the current one at the remote with a number; nil if none is known.
    func revision(ofRemote remote: Int) -> Node? { remotes[remote].map { nodes[$0] } }

    // MARK: - Changing

    /// Returns the bodies that are stored besides the current one, `current`: those of nodes and those of bases.
    func bodies(current: [UInt8]) -> [[UInt8]] { nodes.compactMap(\.body) + bases.bodies(current: current) }

    /// The ids of the revisions that remotes are known to have.
    var remoteIDs: [RevisionID] { remotes.values.map { nodes[$0].id } }

    /// Adds a child of the current revision and makes it current.
    mutating func advance(to id: RevisionID, flags: Flags) {
        nodes[0].body = nil
        nodes.append(Node(id: id, flags: flags, parent: 0))
        makeCurrent(nodes.count - 1)
    }

    /// Adds a line of revisions, oldest first, as descendants of the node at the index `parent`, or as a separate line
    /// if it is nil. Returns the index of the last one, the leaf, which alone gets the flags and the body.
    mutating func graft(_ line: [RevisionID], onto parent: Int?, leafFlags: Flags, leafBody: [UInt8]?) -> Int {
        assert(!line.isEmpty && parent.map { nodes.indices.contains($0) } ?? true, "a line has a leaf and a place")
        var parent = parent
        for (offset, id) in line.enumerated() {
            let isLeaf = offset == line.count - 1
            nodes.append(
                Node(id: id, flags: isLeaf ? leafFlags : [], parent: parent, body: isLeaf ? leafBody : nil))
            parent = nodes.count - 1
        }
        return nodes.count - 1
    }

    /// Makes the node at an index the current revision, by swapping it with the first node. The caller stores its body
    /// in the document's row, and the body of the previous current revision in that node if it is needed.
    mutating func makeCurrent(_ index: Int) {
        guard index != 0 else { return }
        assert(nodes.indices.contains(index))
        assert(!nodes.contains { $0.parent == index }, "the current revision has no child")
        nodes.swapAt(0, index)
        func moved(_ old: Int) -> Int { old == 0 ? index : old == index ? 0 : old }
        for position in nodes.indices { nodes[position].parent = nodes[position].parent.map(moved) }
        remotes = remotes.mapValues(moved)
    }

    mutating func setBody(_ body: [UInt8]?, at index: Int) { nodes[index].body = body }

    mutating func setFlags(_ flags: Flags, at index: Int) { nodes[index].flags = flags }

    /// Records that the node at an index is a remote's current revision, and if it is the remote's first version, that
    /// the remote's histories end with the revision that the version replaced.
    mutating func setRemote(_ remote: Int, to index: Int) {
        assert(nodes.indices.contains(index), "a remote has a revision of the tree")
        if nodes[index].id.version == nil {
            ends[remote] = nil
        } else if let old = revision(ofRemote: remote)?.id, old.version == nil {
            ends[remote] = .revision(old)
        }
        remotes[remote] = index
    }

    /// Records the end of the histories that a remote expects.
    mutating func setEnd(_ end: HistoryEnd, ofRemote remote: Int) {
        let hadTree = nodes.contains { $0.history.map { !$0.revisions.isEmpty } ?? false }
        ends[remote] = hadTree ? end : nil
    }

    mutating func forgetRemote(_ remote: Int) { remotes[remote] = nil }

    /// Removes a branch: the leaf at an index and its ancestors without other children, except the current revision.
    mutating func removeBranch(_ leaf: Int) {
        assert(leaf != 0, "the current revision stays")
        var doomed: Set<Int> = [leaf]
        for ancestor in ancestors(of: leaf) {
            let children = nodes.indices.filter { nodes[$0].parent == ancestor && !doomed.contains($0) }
            guard children.isEmpty, ancestor != 0 else { break }
            doomed.insert(ancestor)
        }
        keep { !doomed.contains($0) }
    }

    /// Removes the revisions that aren't among the newest `depth` revisions of any branch, unless a remote is known to
    /// have them, and removes bodies that are no longer needed. A tree whose nodes have histories is pruned by
    /// `dropUnneeded()` instead, whatever the depth.
    mutating func prune(depth: Int) {
        guard !hasVersions else { return dropUnneeded() }
        let leaves = Set(self.leaves)
        let named = Set(remotes.values)
        var kept = named.union([0])
        for leaf in leaves {
            kept.insert(leaf)
            kept.formUnion(ancestors(of: leaf).prefix(max(depth - 1, 0)))
        }
        for index in nodes.indices where index != 0 && !leaves.contains(index) && !named.contains(index) {
            nodes[index].body = nil
        }
        if kept.count < nodes.count { keep { kept.contains($0) } }
    }

    /// Removes all nodes except those for whose indexes `isKept` returns true, and the entries of `remotes` that refer to
    /// removed nodes. The parent of a kept node becomes its nearest kept ancestor; the indexes of kept nodes change.
    mutating func keep(_ isKept: (Int) -> Bool) {
        assert(isKept(0), "the current revision stays")
        var newIndex: [Int: Int] = [:]
        for index in nodes.indices where isKept(index) { newIndex[index] = newIndex.count }
        var kept: [Node] = []
        for index in nodes.indices where newIndex[index] != nil {
            var node = nodes[index]
            node.parent = ancestors(of: index).lazy.compactMap { newIndex[$0] }.first
            kept.append(node)
        }
        assert(kept.first?.id == nodes[0].id, "the current revision stays the first")
        nodes = kept
        remotes = remotes.compactMapValues { newIndex[$0] }
    }
}

extension RevisionTree {
    /// Creates a tree of one revision.
    init(root: RevisionID, flags: Flags) { self.init(nodes: [Node(id: root, flags: flags)]) }

    // MARK: - Trees of a database of version vectors

    // Once a document has a version, each node has a history instead of a parent; the histories determine which node
    // descends from which.

    /// A Boolean value that says whether the nodes have histories in place of parents.
    var hasVersions: Bool { nodes.contains { $0.history != nil } }

    /// Returns the history of the node at an index: its version vector, or its id and those of its ancestors in the
    /// tree.
    func history(at index: Int) -> VersionHistory {
        if let history = nodes[index].history { return history }
        return VersionHistory(nodes[index].id, ancestors: ancestors(of: index).map { nodes[$0].id })
    }

    /// Returns whether the node at `index` descends from the node at the index `other`. For nodes with histories:
    /// whether the history of the first contains the version of the other, which is also true if each history contains
    /// the other's version (a conflict).
    func isKnown(_ other: Int, at index: Int) -> Bool {
        guard let history = nodes[index].history, let version = nodes[other].id.version else {
            return isAncestor(other, of: index)
        }
        return other != index && history.knows(VersionHistory(VersionVector(version)))
    }

    /// Gives each node a history made of its ancestors in the tree, and removes the nodes that are no longer needed.
    mutating func takeHistories() {
        defer { assert(hasVersions, "each node has a history") }
        guard !hasVersions else { return }
        let histories = nodes.indices.map { history(at: $0) }
        for index in nodes.indices {
            nodes[index].history = histories[index]
            nodes[index].parent = nil
        }
        dropUnneeded()
    }

    /// Removes nodes that are neither the current revision, nor a remote's known revision, nor a side of an unresolved
    /// conflict.
    mutating func dropUnneeded() {
        let conflicts = nodes.indices.filter { nodes[$0].flags.contains(.conflict) }
        let kept = Set(remotes.values).union(conflicts).union([0])
        if kept.count < nodes.count { keep { kept.contains($0) } }
    }

    /// Adds a new version and makes it current.
    mutating func advance(to history: VersionHistory, id: RevisionID, flags: Flags) {
        takeHistories()
        advance(to: id, flags: flags)
        nodes[0].parent = nil
        nodes[0].history = history
        dropUnneeded()
    }

    /// Adds a peer's revision with its history, or updates the node with the same id, and returns the index of the
    /// node. The body of an existing node is kept if `body` is nil.
    mutating func add(_ history: VersionHistory, id: RevisionID, flags: Flags, body: [UInt8]?) -> Int {
        takeHistories()
        if let index = index(of: id) {
            (nodes[index].history, nodes[index].flags) = (history, flags)
            nodes[index].body = body ?? nodes[index].body
            return index
        }
        assert(!nodes.contains { $0.id == id }, "a revision is in the tree once")
        nodes.append(Node(id: id, flags: flags, parent: nil, body: body, history: history))
        return nodes.count - 1
    }
}
