internal import SealiteCrypto
internal import SealiteJSON
internal import SealiteValues

/// Writes the object types of a schema as Swift source that compiles without changes (Documentation/Models.md §7).
public struct SwiftWriter: Sendable {
    /// The access level of the generated types and members.
    public enum Access: String, Sendable, CaseIterable {
        /// `public`, for libraries.
        case `public`
        /// `package`, for packages of several modules.
        case package
        /// `internal`, for use in one module.
        case `internal`
    }

    /// A Swift source file to write.
    public struct File: Sendable, Hashable {
        /// The name of the file, with `.swift`.
        public let name: String
        /// The source text of the file.
        public let text: String
    }

    let schema: Schema
    let access: Access
    let names: SwiftNames
    /// The object types by their names in the schema.
    let objects: [String: ObjectSchema]

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - schema: the object types.
    ///   - access: the access level of types and members.
    /// - Throws: `SchemaIssues` if two types or two properties would have the same Swift name.
    public init(_ schema: Schema, access: Access = .public) throws(SchemaIssues) {
        let names = SwiftNames(schema)
        guard names.issues.isEmpty else { throw SchemaIssues(names.issues) }
        (self.schema, self.access, self.names) = (schema, access, names)
        objects = Dictionary(schema.objects.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Returns one file with all types.
    ///
    /// - Parameters:
    ///   - name: the file's name, with `.swift`.
    ///   - source: the name of what the types were read from, such as a file, for a comment in the first line.
    /// - Returns: the file.
    public func file(_ name: String, source: String) -> File {
        File(name: name, text: text(of: schema.objects, source: source))
    }

    /// Returns a file for each type that has documents of its own, with the types that are embedded only in it, and a
    /// file for each other embedded type.
    ///
    /// - Parameter source: returns the name of what a type was read from, such as a file; it receives the type's name.
    /// - Returns: the files.
    public func files(source: (String) -> String) -> [File] {
        let owners = owners()
        return schema.objects.filter { owners[$0.name] == $0.name }.map { object in
            let types = schema.objects.filter { owners[$0.name] == object.name }
            let name = SwiftName.unquoted(names.types[object.name] ?? object.name)
            return File(name: name + ".swift", text: text(of: types, source: source(object.name)))
        }
    }

    /// Returns, for each type, the type whose file contains it: the type itself for types with documents of their own,
    /// and for embedded types that several such types, or none, use.
    private func owners() -> [String: String] {
        var users: [String: Set<String>] = [:]
        for root in schema.objects where !root.isEmbedded {
            for name in embedded(in: root) { users[name, default: []].insert(root.name) }
        }
        var owners: [String: String] = [:]
        for object in schema.objects {
            let roots = object.isEmbedded ? users[object.name] ?? [] : []
            owners[object.name] = roots.count == 1 ? roots.first : object.name
        }
        return owners
    }

    private func embedded(in root: ObjectSchema) -> Set<String> {
        var (found, open) = (Set<String>(), [root])
        while let object = open.popLast() {
            for property in object.properties {
                guard let name = property.type.embeddedName, found.insert(name).inserted, let type = objects[name]
                else {
                    continue
                }
                open.append(type)
            }
        }
        return found
    }

    // MARK: - Text

    private func text(of types: [ObjectSchema], source: String) -> String {
        var text = SwiftText()
        text.line("// Generated from \(SwiftText.plain(source)); edits are lost.")
        if let digest = digest(of: types) { text.line("// SHA-256 of the schema: \(digest)") }
        let bodies = types.map { object in
            var writer = SwiftTypeWriter(self, object)
            writer.write()
            return writer
        }
        text.line()
        for line in imports(bodies) { text.line(line) }
        for body in bodies {
            text.line()
            for line in body.text.lines { text.line(line) }
        }
        return text.lines.joined(separator: "\n") + "\n"
    }

    /// Returns a digest of the schemas of types, which differs if one of them has changed; nil if it can't be computed.
    private func digest(of types: [ObjectSchema]) -> String? {
        let text = types.map { schema.jsonSchema(of: $0.name).extendedJSON(.canonical) }.joined(separator: "\n")
        return (try? SHA256.digest(of: Array(text.utf8))).map { Hexadecimal.text(of: $0) }
    }

    /// Returns the import declarations: of modules whose types occur in declarations, and of those whose types occur
    /// only in function bodies.
    private func imports(_ bodies: [SwiftTypeWriter]) -> [String] {
        let shown = bodies.reduce(into: Set<SwiftModule>()) { $0.formUnion($1.shownModules) }
        let used = bodies.reduce(into: shown) { $0.formUnion($1.usedModules) }
        return SwiftModule.allCases.filter(used.contains).map { module in
            (access == .public && shown.contains(module) ? "public import " : "import ") + module.rawValue
        }
    }
}

extension PropertyType {
    /// The module that defines the Swift type; nil for types of the standard library and for object types of the
    /// schema.
    var swiftModule: SwiftModule? {
        switch self {
        case .date, .uuid: .foundation
        case .mixed: .database
        case .geoPoint, .link: .model
        case .decimal128, .objectID: .values
        case .array(let item), .set(let item), .dictionary(let item): item.swiftModule
        default: nil
        }
    }
}

/// The modules that generated code may import.
enum SwiftModule: String, CaseIterable {
    case foundation = "Foundation"
    case database = "SealiteDatabase"
    case model = "SealiteModel"
    case values = "SealiteValues"
}
