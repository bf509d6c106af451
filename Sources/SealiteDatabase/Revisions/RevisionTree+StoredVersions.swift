internal import SealiteJSON
internal import SealiteRevisions

// The stored form of trees with versions (Documentation/DocumentFormat.md §4.3).
extension RevisionTree {
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
