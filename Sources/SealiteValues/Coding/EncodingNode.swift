/// A value that is being encoded, with nodes for its members or items. It is a class, since the containers of an
/// encoder may be written to alternately.
final class EncodingNode {
    /// The kind of a node's content: a complete value, or child nodes for its members or its items.
    enum Content {
        case value(BSON)
        case members
        case items
    }

    /// The content of the node; nil until something was written.
    var content: Content?
    private(set) var names: [String] = []
    private(set) var children: [EncodingNode] = []

    /// Returns a new node for the member with a name. It replaces the node of an earlier member with the same name, in
    /// its position; otherwise it is appended.
    func member(_ name: String) -> EncodingNode {
        if let index = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) {
            children[index] = EncodingNode()
            return children[index]
        }
        names.append(name)
        children.append(EncodingNode())
        return children[children.count - 1]
    }

    /// Appends a node for a new item of an array, and returns it.
    func item() -> EncodingNode {
        children.append(EncodingNode())
        return children[children.count - 1]
    }

    /// The value that was encoded into the node; an empty document if nothing was.
    var bson: BSON {
        switch content {
        case .value(let value): value
        case .items: .array(children.map(\.bson))
        case .members, nil: .document(MongoDocument(zip(names, children).map { .init($0, $1.bson) }))
        }
    }
}
