internal import SealiteDatabase
internal import SealiteQuery
internal import SealiteQueryLanguage

extension ModelStore {
    /// Returns the objects of a type, as a query that can be narrowed and sorted.
    public func objects<M: Model>(_ type: M.Type) -> ObjectQuery<M> { ObjectQuery(self) }

    /// Returns the objects of a type that link to another object: those whose link, or list of links, has its key.
    ///
    /// - Parameters:
    ///   - type: the type of the objects that are looked for.
    ///   - member: the member that links, or a path to it through embedded objects, such as `home.owner`.
    ///   - target: the object that is linked to.
    /// - Returns: a query, which can be narrowed and sorted.
    public func objects<M: Model, Target: Model>(
        _ type: M.Type, linkingBy member: String, to target: Target
    ) -> ObjectQuery<M> {
        objects(type, linkingBy: member, to: Reference(target))
    }

    /// Returns the objects of a type that link to the object of a key.
    public func objects<M: Model, Target: Model>(
        _ type: M.Type, linkingBy member: String, to target: Reference<Target>
    ) -> ObjectQuery<M> {
        let isList = (try? ModelPlan.of(type))?.isList(member) ?? false
        return objects(type).linking(by: member.split(separator: ".").map(String.init), isList: isList, to: target)
    }

    /// Returns the objects of a type that link to another object by a link.
    public func objects<M: Model, Target: Model>(
        _ type: M.Type, linkingBy member: KeyPath<M, Reference<Target>>, to target: Target
    ) -> ObjectQuery<M> { objects(type).where(member == target) }

    /// Returns the objects of a type that link to another object by a link that may be nil.
    public func objects<M: Model, Target: Model>(
        _ type: M.Type, linkingBy member: KeyPath<M, Reference<Target>?>, to target: Target
    ) -> ObjectQuery<M> { objects(type).where(member == target) }

    /// Returns the objects of a type that link to another object by a list or a set of links.
    public func objects<M: Model, Target: Model, L: ListMember>(
        _ type: M.Type, linkingBy member: KeyPath<M, L>, to target: Target
    ) -> ObjectQuery<M> where L.Element == Reference<Target> { objects(type).where(.contains(member, target)) }
}

extension ModelPlan {
    /// Returns whether a path through embedded objects ends at a list.
    fileprivate func isList(_ path: String) -> Bool {
        var object: ObjectSchema? = schema
        var isList = false
        for name in path.split(separator: ".") {
            guard let property = object?[String(name)] else { return false }
            isList = property.type.isCollection
            if case .embedded(let name) = property.type {
                object = embedded.first { $0.name == name }
            } else {
                object = nil
            }
        }
        return isList
    }
}
