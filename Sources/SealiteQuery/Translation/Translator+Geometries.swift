internal import SealiteBase
internal import SealiteFunctions
internal import SealiteGeometry
internal import SealiteQueryLanguage

extension Translator {
    /// Returns an access path to a source's documents through an index on geometries, by a call of `GEO_WITHIN` that must be true;
    /// nil if there is none.
    mutating func geometryAccess(_ target: AccessTarget) throws -> AccessPath? {
        for term in target.terms {
            guard case .call(let call) = term, call.name == "GEO_WITHIN", call.arguments.count == 2,
                case .literal(.string(let text)) = call.arguments[1],
                let path = relative(call.arguments[0], target)?.memberPath
            else { continue }
            for index in try catalogue.geometryIndexes(ofCollection: target.collection) {
                var work = GeometryWork(limit: GeoEntries.workLimit)
                guard let number = index.paths.firstIndex(of: path), let shape = SearchShape(text: text),
                    let cover = try? GeoCover(path: number, index.grid, shape, &work)
                else { continue }
                return self.path(through: index, cover)
            }
        }
        return nil
    }

    private mutating func path(through index: GeometryIndex, _ cover: GeoCover) -> AccessPath {
        // As of an index over elements: a document may have several entries, and is found once.
        let planned = PlannedIndex(
            number: index.number, name: index.name, table: index.table, levels: [[]], keys: [], condition: nil)
        var path = AccessPath(index: planned, alias: nextAlias())
        let column = "\(path.alias).key1"
        // The empty key is that of documents of which nothing is known.
        let keys = ["x''"] + cover.keys.map(Self.literal)
        let ranges = cover.ranges.map { "\(column) BETWEEN \(Self.literal($0.first)) AND \(Self.literal($0.last))" }
        path.conditions = [
            "(\((ranges + ["\(column) IN (\(keys.joined(separator: ", ")))"]).joined(separator: " OR ")))"
        ]
        return path
    }

    private static func literal(_ bytes: [UInt8]) -> String { "x'\(Hexadecimal.text(of: bytes))'" }
}

extension Tree.Expression {
    /// The path of the expression as names with dots between them; nil if it isn't one of names without dots.
    fileprivate var memberPath: String? {
        guard case .path(let path) = self else { return nil }
        var names = [path.root]
        for step in path.steps {
            guard case .name(let name) = step else { return nil }
            names.append(name)
        }
        return names.contains { $0.contains(".") } ? nil : names.joined(separator: ".")
    }
}
