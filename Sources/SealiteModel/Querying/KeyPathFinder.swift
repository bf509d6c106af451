internal import SealiteDatabase
internal import SealiteJSON
internal import SealiteQueryLanguage
internal import SealiteValues
internal import Synchronization

/// Finds the members of a type's key paths, by evaluating the key paths on sample objects that differ in one member
/// each. The member of a key path is the one whose stored form always equals that of the key path's value.
///
/// A finder is created once for each type; each key path is resolved once.
@safe
// Sendable: the samples are never changed, and the results are behind a mutex.
final class KeyPathFinder<Root: Codable>: @unchecked Sendable {
    /// A key path that was resolved.
    // Sendable: key paths never change, and those that contain other values aren't resolved.
    private struct Sought: Hashable, @unchecked Sendable {
        let keyPath: PartialKeyPath<Root>
    }

    private let samples: SampleObjects<Root>
    private let declared: [String: AnyKeyPath]
    private let found = Mutex<[Sought: MemberPath]>([:])

    private init() throws {
        samples = try SampleObjects()
        declared =
            (Root.self as? any Model.Type)?.declaration.keyPaths
            ?? (Root.self as? any EmbeddedModel.Type)?.declaration.keyPaths ?? [:]
    }

    /// Returns the key path finder of the type `Root`, which is created at the first call.
    ///
    /// - Throws: `SchemaError` if the type's schema can't be derived.
    static func shared() throws -> KeyPathFinder {
        if let known = KeyPathFinders.known.withLock({ $0[ObjectIdentifier(Root.self)] }) as? KeyPathFinder {
            return known
        }
        let made = try KeyPathFinder()
        KeyPathFinders.known.withLock { $0[ObjectIdentifier(Root.self)] = made }
        return made
    }

    /// Returns the member of a key path.
    ///
    /// - Throws: `SchemaError.unknownKeyPath` if the key path's member can't be determined.
    func member(_ keyPath: PartialKeyPath<Root>) throws -> MemberPath {
        let sought = Sought(keyPath: keyPath)
        if let known = found.withLock({ $0[sought] }) { return known }
        let member = try path(to: try place(of: keyPath), "\(keyPath)")
        found.withLock { $0[sought] = member }
        return member
    }

    // MARK: - Finding

    /// Returns the position in objects that a key path leads to; nil for the object itself.
    private func place(of keyPath: PartialKeyPath<Root>) throws -> SamplePosition? {
        if let (name, _) = declared.first(where: { $0.value == keyPath }) {
            guard let place = samples.places.first(where: { $0.names.joined(separator: ".") == name }) else {
                let names = samples.places.map { $0.names.joined(separator: ".") }
                let near = NearestName.to(name, among: names).map { "; did you mean '\($0)'?" } ?? ""
                throw unknown(keyPath, "the declaration names '\(name)', and the type has no such member\(near)")
            }
            return place
        }
        if !(Root.self is any Model.Type), keyPath == \Root.self { return nil }
        // Reading an element that a sample doesn't have would end the program.
        guard !Self.hasSteps(keyPath) else {
            throw unknown(keyPath, "it leads through a subscript or a computed property")
        }
        var matching = samples.places { $0[keyPath: keyPath] }
        // The ID may have the value of a member, which isn't stored then.
        if matching.count > 1, let key = matching.first(where: \.isID) { matching = [key] }
        guard let place = matching.first else {
            throw unknown(keyPath, samples.problem ?? "no stored member always has its value")
        }
        guard matching.count == 1 else {
            let names = matching.prefix(3).map { "'\($0.names.joined(separator: "."))'" }.joined(separator: " and ")
            throw unknown(keyPath, "\(names) can't be told apart by sample values")
        }
        return place
    }

    /// Returns whether a key path has a computed component, such as a subscript, after its first component.
    private static func hasSteps(_ keyPath: PartialKeyPath<Root>) -> Bool {
        let root = "\\\(Root.self).<computed"
        let text = "\(keyPath)"
        let rest = text.hasPrefix(root) ? text.dropFirst(root.count) : text[...]
        return rest.contains("<computed")
    }

    private func path(to place: SamplePosition?, _ keyPath: String) throws -> MemberPath {
        MemberPath(
            names: place?.names ?? [], isID: place?.isID ?? false, isOfElement: !(Root.self is any Model.Type),
            mayBeNil: place?.mayBeNil ?? false, type: place?.type ?? samples.type, plan: place?.plan ?? samples.plan,
            place: keyPath)
    }

    private func unknown(_ keyPath: PartialKeyPath<Root>, _ reason: String) -> SchemaError {
        let type = (Root.self as? any Model.Type)?.schemaName ?? String(describing: Root.self)
        return .unknownKeyPath(type: type, keyPath: "\(keyPath)", reason: reason)
    }
}

/// The key path finders of all types for which one has been created.
private enum KeyPathFinders {
    static let known = Mutex<[ObjectIdentifier: any Sendable]>([:])
}

/// A position in objects of a type: a member, or a member of an embedded object.
struct SamplePosition {
    /// The names of the path from the object to the position.
    let names: [String]
    /// A Boolean value that says whether the position is the document's ID.
    let isID: Bool
    /// A Boolean value that says whether the member, or one that contains it, may be nil or absent.
    let mayBeNil: Bool
    /// The type of the member's values in the schema.
    let type: PropertyType
    /// The plan for encoding the member's values.
    let plan: ValuePlan
    /// The values of the member, in stored form, with which sample objects of the type are made: two, or fewer if the
    /// member's type doesn't have two values; nil is an absent member.
    let forms: [BSON?]
}
