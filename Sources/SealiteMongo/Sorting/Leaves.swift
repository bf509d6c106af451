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

extension BSON {
    fileprivate func collectLeaves(_ names: ArraySlice<String>, _ leaves: inout [BSON?]) {
        guard let name = names.first else {
            guard case .array(let items) = self else { return leaves.append(self) }
            return leaves.append(contentsOf: items.isEmpty ? [.undefined] : items.map { $0 })
        }
        switch self {
        case .document(let document):
            guard let member = document[name] else { return leaves.append(nil) }
            member.collectLeaves(names.dropFirst(), &leaves)
        case .array(let items):
            for item in items {
                if case .document = item { item.collectLeaves(names, &leaves) }
            }
            if let index = Int(name), items.indices.contains(index), "\(index)" == name {
                items[index].collectLeaves(names.dropFirst(), &leaves)
            }
        default: leaves.append(nil)
        }
    }
}
