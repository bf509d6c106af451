internal import SealiteDatabase
internal import SealiteQuery
internal import SealiteQueryLanguage

extension ModelStore {
    /// Returns the objects of a type, as a query that can be filtered and sorted.
    public func objects<M: Model>(_ type: M.Type) -> ObjectQuery<M> { ObjectQuery(self) }

    /// Returns the objects of a type that link to another object: those whose link, or list of links, contains its key.
    ///
    /// - Parameters:
    ///   - type: the type of the objects to find.
    ///   - member: the member with the link, or a path to it through embedded objects, such as `home.owner`.
    ///   - target: the object that is linked to.
    /// - Returns: a query, which can be filtered and sorted.
    public func objects<M: Model, Target: Model>(
        _ type: M.Type, linkingBy member: String, to target: Target
    ) -> ObjectQuery<M> {
        objects(type, linkingBy: member, to: Reference(target))
    }

    /// Returns the objects of a type that link to the object with a primary key, through the member at a path such as
    /// `home.owner`.
    public func objects<M: Model, Target: Model>(
        _ type: M.Type, linkingBy member: String, to target: Reference<Target>
    ) -> ObjectQuery<M> {
        let isList = (try? ModelPlan.of(type))?.isList(member) ?? false
        return objects(type).linking(by: member.split(separator: ".").map(String.init), isList: isList, to: target)
    }

    /// Returns the objects of a type whose link refers to a given object.
    public func objects<M: Model, Target: Model>(
        _ type: M.Type, linkingBy member: KeyPath<M, Reference<Target>>, to target: Target
    ) -> ObjectQuery<M> { objects(type).where(member == target) }

    /// Returns the objects of a type whose optional link refers to a given object.
    public func objects<M: Model, Target: Model>(
        _ type: M.Type, linkingBy member: KeyPath<M, Reference<Target>?>, to target: Target
    ) -> ObjectQuery<M> { objects(type).where(member == target) }

    /// Returns the objects of a type whose list or set of links contains a link to a given object.
    public func objects<M: Model, Target: Model, L: ListMember>(
        _ type: M.Type, linkingBy member: KeyPath<M, L>, to target: Target
    ) -> ObjectQuery<M> where L.Element == Reference<Target> { objects(type).where(.contains(member, target)) }
}

extension ModelPlan {
    /// Returns whether a path through embedded objects ends at a list, a set or a dictionary.
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
