/// A value that is being encoded. It is an object, since the containers of an encoder may be written to alternately.
final class EncodingNode {
    /// The content of a node: a complete value, or nodes for its members or items.
    enum Content {
        case value(BSON)
        case members
        case items
    }

    /// The content of the node; nil until something was written.
    var content: Content?
    private(set) var names: [String] = []
    private(set) var children: [EncodingNode] = []

    /// Returns the member with a name, which is added if it doesn't exist.
    func member(_ name: String) -> EncodingNode {
        if let index = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) {
            children[index] = EncodingNode()
            return children[index]
        }
        names.append(name)
        children.append(EncodingNode())
        return children[children.count - 1]
    }

    /// Returns a new item, which is appended.
    func item() -> EncodingNode {
        children.append(EncodingNode())
        return children[children.count - 1]
    }

    /// The value; an empty document if nothing was encoded.
    var bson: BSON {
        switch content {
        case .value(let value): value
        case .items: .array(children.map(\.bson))
        case .members, nil: .document(MongoDocument(zip(names, children).map { .init($0, $1.bson) }))
        }
    }
}
