internal import SealiteRevisions

// Trees of a database of version vectors. Once a document has a version, each node has a history instead of a parent;
// the histories determine which node descends from which.
extension RevisionTree {
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

    /// Adds a new version and makes it current. `replacedBody`, the body of the previous version, is kept if a remote
    /// is known to have that version.
    mutating func advance(to history: VersionHistory, id: RevisionID, flags: Flags, replacedBody: [UInt8]?) {
        takeHistories()
        advance(to: id, flags: flags, replacedBody: replacedBody)
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
