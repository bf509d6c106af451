internal import SealiteValues

extension Row {
    /// The values by which a document is sorted and looked up at a path: an array at its end gives its items, or undefined where it is empty; documents in
    /// arrays on the way are looked into; nil stands for what is missing.
    func leaves(at names: [String]) -> [BSON?] {
        guard let first = names.first else { return [] }
        guard let value = self[first] else { return [nil] }
        var leaves: [BSON?] = []
        value.collectLeaves(names.dropFirst(), &leaves)
        return leaves
    }
}

extension Row {
    /// The values that equality looks at: the items of an array at the path's end, and the array itself where `hasWholeArrays`; nil stands for what
    /// is missing.
    func elements(at names: [String], hasWholeArrays: Bool = true) -> [BSON?] {
        guard let first = names.first else { return [] }
        guard let value = self[first] else { return [nil] }
        var elements: [BSON?] = []
        value.visit(names.dropFirst()) { value, isItem in
            guard case .array(let items) = value, !isItem else { return elements.append(value) }
            elements.append(contentsOf: items.map { $0 })
            if hasWholeArrays { elements.append(value) }
        }
        return elements
    }
}

extension BSON {
    fileprivate func collectLeaves(_ names: ArraySlice<String>, _ leaves: inout [BSON?]) {
        visit(names) { value, isItem in
            guard case .array(let items) = value, !isItem else { return leaves.append(value) }
            leaves.append(contentsOf: items.isEmpty ? [.undefined] : items.map { $0 })
        }
    }

    /// Calls a function for the value at the end of a path, nil where it is missing, through the documents of arrays on the way; a number is a place
    /// in an array as well. The function is told of an item that such a place has given at the path's end.
    fileprivate func visit(_ names: ArraySlice<String>, isItem: Bool = false, _ body: (BSON?, Bool) -> Void) {
        guard let name = names.first else { return body(self, isItem) }
        switch self {
        case .document(let document):
            guard let member = document[name] else { return body(nil, false) }
            member.visit(names.dropFirst(), body)
        case .array(let items):
            for item in items {
                if case .document = item { item.visit(names, body) }
            }
            if let index = Int(name), items.indices.contains(index), "\(index)" == name {
                items[index].visit(names.dropFirst(), isItem: true, body)
            }
        default: body(nil, false)
        }
    }
}
