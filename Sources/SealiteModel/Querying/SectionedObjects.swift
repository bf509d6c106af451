internal import SealiteFile

/// The objects of a query in sections, one for each value of a member. The sections are sorted by that value; in each
/// section the objects are in the query's order. Returned by ``ObjectQuery/sectioned(by:ascending:)``.
public struct SectionedObjects<Key: Hashable & Sendable, M: Model>: Sendable {
    private let query: ObjectQuery<M>
    private let key: any KeyPath<M, Key> & Sendable

    fileprivate init(_ query: ObjectQuery<M>, _ key: any KeyPath<M, Key> & Sendable) {
        (self.query, self.key) = (query, key)
    }

    /// Returns all sections in the order of their keys, read from one snapshot of the database.
    ///
    /// - Throws: the errors of `ObjectQuery/all()`.
    public func all() throws -> [ObjectSection<Key, M>] { Self.sections(of: try query.all(), key) }

    /// The asynchronous form of `all()`, which doesn't block the calling task's thread.
    public func all() async throws -> [ObjectSection<Key, M>] { Self.sections(of: try await query.all(), key) }

    /// All sections now, and again after each change of them.
    public var values: ObservedObjects<[ObjectSection<Key, M>]> {
        let key = key
        return query.observed { Self.sections(of: $0, key) }
    }

    private static func sections(of objects: [M], _ key: KeyPath<M, Key>) -> [ObjectSection<Key, M>] {
        var places: [Key: Int] = [:]
        var sections: [(key: Key, objects: [M])] = []
        for object in objects {
            let value = object[keyPath: key]
            if let place = places[value] {
                sections[place].objects.append(object)
            } else {
                places[value] = sections.count
                sections.append((value, [object]))
            }
        }
        return sections.map { ObjectSection(key: $0.key, objects: $0.objects) }
    }
}

extension ObjectQuery {
    /// Returns the objects in sections with the same value in a member. The sections are sorted by value, and the
    /// objects of each section are in the query's order.
    public func sectioned<Key: Hashable & Sendable>(
        by member: any KeyPath<M, Key> & Sendable, ascending: Bool = true
    ) -> SectionedObjects<Key, M> {
        SectionedObjects(sortedFirst(by: member, ascending: ascending), member)
    }
}

/// The objects of a query that have the same value in a member.
public struct ObjectSection<Key: Hashable & Sendable, M: Model>: Sendable {
    /// The value that the objects of the section have in common.
    public let key: Key
    /// The objects, at least one, in the query's order.
    public let objects: [M]
}

extension ObjectSection: Equatable where M: Equatable {}
