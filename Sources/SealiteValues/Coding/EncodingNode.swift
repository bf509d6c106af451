internal import SealiteJSON

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
    /// The index of each name in `names`. It is empty while `names` is short, since comparing a few names is faster.
    private var places: [ExactText: Int] = [:]
    private static let shortCount = 16

    /// Returns a new node for the member with a name. It replaces the node of an earlier member with the same name, in
    /// its position; otherwise it is appended.
    func member(_ name: String) -> EncodingNode {
        if let index = index(of: name) {
            children[index] = EncodingNode()
            return children[index]
        }
        names.append(name)
        if names.count > Self.shortCount { places[ExactText(name)] = names.count - 1 }
        return item()
    }

    /// Returns the index of a name in `names`; nil if it isn't there. Takes constant time for many names, so that a
    /// dictionary isn't encoded in quadratic time.
    private func index(of name: String) -> Int? {
        if names.count < Self.shortCount { return names.firstIndex { ExactText.areSame($0, name) } }
        if places.isEmpty { for (index, name) in names.enumerated() { places[ExactText(name)] = index } }
        return places[ExactText(name)]
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
