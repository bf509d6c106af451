internal import SealiteJSON
internal import SealiteRevisions

// The stored form of trees (Documentation/DocumentFormat.md §4.2).
extension RevisionTree {
    private static let lineForm: UInt8 = 1
    private static let treeForm: UInt8 = 2
    static let versionsForm: UInt8 = 3
    static let hasBody: UInt8 = 2

    /// A Boolean value that says whether the tree is a single line of revisions, without remotes, kept bodies or flags,
    /// except that the current revision may be a tombstone. Such a tree has a short stored form.
    private var isLine: Bool {
        guard remotes.isEmpty else { return false }
        for (index, node) in nodes.enumerated() {
            if index > 0, node.body != nil { return false }
            if index > 0, !node.flags.isEmpty { return false }
            if node.flags.contains(.conflict) || node.flags.contains(.closed) { return false }
        }
        return leaves.count == 1
    }

    /// The value of the column `tree` in the document's row; nil if the row's other columns determine the tree.
    var stored: [UInt8]? { bases.stored(before: storedWithoutBases) }

    private var storedWithoutBases: [UInt8]? {
        if hasVersions { return storedVersions }
        if isLine { return storedLine }
        var bytes: [UInt8] = [Self.treeForm]
        Varint.append(UInt64(nodes.count), to: &bytes)
        for (index, node) in nodes.enumerated() {
            let body = index == 0 ? nil : node.body
            bytes.append(node.flags.rawValue | (body == nil ? 0 : Self.hasBody))
            Varint.append(UInt64(node.parent.map { $0 + 1 } ?? 0), to: &bytes)
            if index == 0 {
                bytes.append(0)
            } else {
                Self.append(node.id, to: &bytes)
            }
            if let body {
                Varint.append(UInt64(body.count), to: &bytes)
                bytes.append(contentsOf: body)
            }
        }
        appendRemotes(to: &bytes)
        return bytes
    }

    func appendRemotes(to bytes: inout [UInt8]) {
        assert(remotes.allSatisfy { nodes.indices.contains($0.value) }, "a remote has a revision of the tree")
        Varint.append(UInt64(remotes.count), to: &bytes)
        for (remote, index) in remotes.sorted(by: { $0.key < $1.key }) {
            Varint.append(UInt64(remote), to: &bytes)
            Varint.append(UInt64(index), to: &bytes)
        }
    }

    private var storedLine: [UInt8]? {
        guard nodes.count > 1 else { return nil }
        var bytes: [UInt8] = [Self.lineForm]
        for index in ancestors(of: 0) { Self.append(nodes[index].id, to: &bytes) }
        return bytes
    }

    static func append(_ id: RevisionID, to bytes: inout [UInt8]) {
        let length = bytes.count
        bytes.append(0)
        id.appendStored(to: &bytes)
        assert(bytes.count - length - 1 <= Int(UInt8.max), "the length of an id fits into a byte")
        bytes[length] = UInt8(truncatingIfNeeded: bytes.count - length - 1)
    }

    /// Returns the value of the column `tree` after a revision replaced the current one, whose id is `replaced`, in a
    /// tree that is a single line. At most `depth` revisions are kept, but always these two. This is the fast form of
    /// `advance`, `prune` and `stored` for documents that only this database has changed. Nil if `tree`, the previous
    /// value, isn't that of a line.
    static func extendedLine(_ tree: [UInt8]?, by replaced: RevisionID, depth: Int) -> [UInt8]? {
        assert(replaced.version == nil, "a line consists of tree revisions")
        let old = tree ?? [lineForm]
        guard old.first == lineForm else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(old.count + 24)
        bytes.append(lineForm)
        append(replaced, to: &bytes)
        var position = 1
        var kept = 2
        while position < old.count, kept < depth {
            position += 1 + Int(old[position])
            kept += 1
        }
        guard position <= old.count else { return nil }
        bytes.append(contentsOf: old[1..<max(position, 1)])
        return bytes
    }

    /// Reads a document's tree from the columns of its row: `tree`, the id of the current revision, and the flag of a
    /// tombstone.
    ///
    /// - Throws: `corruptData` if the column `tree` is damaged.
    init(stored: [UInt8]?, current: RevisionID, isDeleted: Bool) throws(DatabaseError) {
        guard let (bases, rest) = DeltaBases.split(stored), bases.isEmpty || !isDeleted else {
            let count = stored?.count ?? 0
            throw DatabaseError(.corruptData, "the bases of deltas in a revision tree of \(count) bytes are damaged")
        }
        try self.init(rest: rest, current: current, isDeleted: isDeleted)
        self.bases = bases
    }

    private init(rest bytes: [UInt8]?, current: RevisionID, isDeleted: Bool) throws(DatabaseError) {
        guard let bytes else {
            self.init(root: current, flags: isDeleted ? .deleted : [])
            if let version = current.version { nodes[0].history = VersionHistory(VersionVector(version)) }
            return
        }
        let read: RevisionTree?
        switch bytes.first {
        case Self.lineForm where current.version == nil: read = Self.line(bytes, current, isDeleted)
        case Self.treeForm where current.version == nil: read = Self.tree(bytes, current, isDeleted)
        case Self.versionsForm: read = Self.versions(bytes, current, isDeleted)
        default: read = nil
        }
        guard let read else {
            throw DatabaseError(.corruptData, "a stored revision tree of \(bytes.count) bytes is damaged")
        }
        self = read
    }

    private static func line(_ bytes: [UInt8], _ current: RevisionID, _ isDeleted: Bool) -> RevisionTree? {
        var tree = RevisionTree(root: current, flags: isDeleted ? .deleted : [])
        var position = 1
        while position < bytes.count {
            guard let id = readID(bytes.span, &position), id.version == nil,
                id.generation < tree.nodes[tree.nodes.count - 1].id.generation
            else { return nil }
            tree.nodes[tree.nodes.count - 1].parent = tree.nodes.count
            tree.nodes.append(Node(id: id, flags: []))
        }
        return tree
    }

    static func readID(_ bytes: borrowing Span<UInt8>, _ position: inout Int) -> RevisionID? {
        guard position < bytes.count else { return nil }
        let end = position + 1 + Int(bytes[position])
        guard end <= bytes.count else { return nil }
        defer { position = end }
        return RevisionID(stored: bytes, from: position + 1, to: end)
    }

    private static func tree(_ bytes: [UInt8], _ current: RevisionID, _ isDeleted: Bool) -> RevisionTree? {
        let span = bytes.span
        var position = 1
        func number() -> Int? { Varint.read(span, &position, limit: span.count).flatMap { Int(exactly: $0) } }
        guard let count = number(), count > 0, count <= bytes.count else { return nil }
        var nodes: [Node] = []
        for index in 0..<count {
            guard position < span.count else { return nil }
            let flags = span[position]
            position += 1
            guard flags & ~(Flags.all.rawValue | hasBody) == 0, let parent = number(), parent <= count else {
                return nil
            }
            var node = Node(id: current, flags: Flags(rawValue: flags & Flags.all.rawValue), parent: nil)
            node.parent = parent == 0 ? nil : parent - 1
            if index == 0 {
                guard position < span.count, span[position] == 0, flags & hasBody == 0 else { return nil }
                position += 1
                node.flags = isDeleted ? node.flags.union(.deleted) : node.flags.subtracting(.deleted)
            } else {
                guard let id = readID(span, &position), id.version == nil else { return nil }
                node.id = id
            }
            if flags & hasBody != 0 {
                guard let length = number(), length <= span.count - position else { return nil }
                node.body = Array(bytes[position..<(position + length)])
                position += length
            }
            nodes.append(node)
        }
        for node in nodes {
            // A parent has a lower generation, so no cycle is possible; the current revision is a leaf.
            guard let parent = node.parent else { continue }
            guard parent != 0, nodes[parent].id.generation < node.id.generation else { return nil }
        }
        guard let remotes = remotes(span, &position, nodeCount: count) else { return nil }
        return position == span.count ? RevisionTree(nodes: nodes, remotes: remotes) : nil
    }

    /// Reads, for each remote by its number, the index of the node that is its known current revision; nil if the bytes
    /// are damaged.
    static func remotes(_ bytes: borrowing Span<UInt8>, _ position: inout Int, nodeCount: Int) -> [Int: Int]? {
        func number(_ position: inout Int) -> Int? {
            Varint.read(bytes, &position, limit: bytes.count).flatMap { Int(exactly: $0) }
        }
        var remotes: [Int: Int] = [:]
        guard let count = number(&position), count <= bytes.count else { return nil }
        for _ in 0..<count {
            guard let remote = number(&position), let index = number(&position), index < nodeCount else { return nil }
            remotes[remote] = index
        }
        return remotes
    }

    // MARK: - Trees with versions (Documentation/DocumentFormat.md §4.3)

    /// The value of the column `tree` in the row of a document with versions; nil if the row's other columns determine
    /// the tree.
    var storedVersions: [UInt8]? {
        if nodes.count == 1, remotes.isEmpty, nodes[0].flags.isSubset(of: .deleted),
            let version = nodes[0].id.version, history(at: 0) == VersionHistory(VersionVector(version))
        {
            return nil
        }
        assert(nodes.allSatisfy { $0.parent == nil }, "nodes have histories in place of parents")
        var bytes: [UInt8] = [Self.versionsForm]
        history(at: 0).appendStored(to: &bytes)
        Varint.append(UInt64(nodes.count - 1), to: &bytes)
        for index in nodes.indices.dropFirst() {
            let node = nodes[index]
            bytes.append(node.flags.rawValue | (node.body == nil ? 0 : Self.hasBody))
            Self.append(node.id, to: &bytes)
            history(at: index).appendStored(to: &bytes)
            guard let body = node.body else { continue }
            Varint.append(UInt64(body.count), to: &bytes)
            bytes.append(contentsOf: body)
        }
        appendRemotes(to: &bytes)
        appendEnds(to: &bytes)
        return bytes
    }

    private func appendEnds(to bytes: inout [UInt8]) {
        guard !ends.isEmpty else { return }
        Varint.append(UInt64(ends.count), to: &bytes)
        for (remote, end) in ends.sorted(by: { $0.key < $1.key }) {
            Varint.append(UInt64(remote), to: &bytes)
            switch end {
            case .nothing: bytes.append(0)
            case .revision(let id): Self.append(id, to: &bytes)
            }
        }
    }

    /// Reads the tree of a document that has versions of version vectors; nil if the bytes are damaged.
    static func versions(_ bytes: [UInt8], _ current: RevisionID, _ isDeleted: Bool) -> RevisionTree? {
        let span = bytes.span
        var position = 1
        guard let history = VersionHistory(current: current.stored, stored: span, &position),
            let count = Varint.read(span, &position, limit: span.count), count <= UInt64(span.count)
        else { return nil }
        var nodes = [Node(id: current, flags: isDeleted ? .deleted : [], parent: nil, body: nil, history: history)]
        for _ in 0..<count {
            guard let node = readVersion(bytes, &position) else { return nil }
            nodes.append(node)
        }
        guard let remotes = remotes(span, &position, nodeCount: nodes.count), let ends = ends(span, &position),
            position == span.count
        else { return nil }
        return RevisionTree(nodes: nodes, remotes: remotes, ends: ends)
    }

    private static func ends(_ bytes: borrowing Span<UInt8>, _ position: inout Int) -> [Int: HistoryEnd]? {
        var ends: [Int: HistoryEnd] = [:]
        guard position < bytes.count else { return ends }
        guard let count = Varint.read(bytes, &position, limit: bytes.count), count > 0, count <= UInt64(bytes.count)
        else { return nil }
        for _ in 0..<count {
            guard let number = Varint.read(bytes, &position, limit: bytes.count), position < bytes.count,
                let remote = Int(exactly: number)
            else { return nil }
            if bytes[position] == 0 {
                position += 1
                ends[remote] = .nothing
            } else {
                guard let id = readID(bytes, &position), id.version == nil else { return nil }
                ends[remote] = .revision(id)
            }
        }
        return ends
    }

    private static func readVersion(_ bytes: [UInt8], _ position: inout Int) -> Node? {
        let span = bytes.span
        guard position < span.count else { return nil }
        let flags = span[position]
        position += 1
        guard flags & ~(Flags.all.rawValue | hasBody) == 0, let id = readID(span, &position),
            let history = VersionHistory(current: id.stored, stored: span, &position)
        else { return nil }
        var node = Node(id: id, flags: Flags(rawValue: flags & Flags.all.rawValue), parent: nil, history: history)
        guard flags & hasBody != 0 else { return node }
        guard let length = Varint.read(span, &position, limit: span.count), length <= UInt64(span.count - position)
        else { return nil }
        node.body = Array(bytes[position..<(position + Int(length))])
        position += Int(length)
        return node
    }
}
