import Foundation
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteModel

/// A program of generated types, which prints their derived schemas, and their documents after it has read and saved them.
struct GeneratedProgram {
    /// A document of a type.
    struct Entry: Hashable {
        let type: String
        let id: String
        let body: String
    }

    /// The output of the program.
    struct Result {
        var schemas: [String: MongoDocument] = [:]
        var entries: [Entry] = []
    }

    private var files: [SwiftWriter.File] = []
    private var types: [String] = []
    private var entries: [Entry] = []

    /// Adds the types of a schema, one file each, and documents of those that have some.
    mutating func add(_ schema: Schema, _ documents: [Entry]) throws {
        let writer = try SwiftWriter(schema)
        files += writer.files { "\($0).json" }
        types += schema.objects.filter { !$0.isEmbedded }.map { writer.names.types[$0.name] ?? $0.name }
        entries += documents
    }

    /// Compiles the program and runs it.
    func run() throws -> Result {
        let folder = NSTemporaryDirectory() + "sealite-generated-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var sources: [String] = []
        for file in files + [SwiftWriter.File(name: "main.swift", text: main)] {
            sources.append("\(folder)/\(file.name)")
            try file.text.write(toFile: "\(folder)/\(file.name)", atomically: false, encoding: .utf8)
        }
        try #require(Set(sources).count == sources.count)
        let lines = entries.map { "\($0.type)\t\($0.id)\t\($0.body)\n" }.joined()
        try lines.write(toFile: "\(folder)/documents", atomically: false, encoding: .utf8)
        try compile(sources, to: "\(folder)/program", in: folder)
        let (status, output) = try ChildProcess.run("\(folder)/program", ["\(folder)/test.db", "\(folder)/documents"])
        try #require(status == 0, "\(output)")
        return Self.result(of: output)
    }

    private static func result(of output: String) -> Result {
        var result = Result()
        for line in output.split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            if parts.count == 3, parts[0] == "schema" {
                result.schemas[parts[1]] = try? MongoDocument(extendedJSON: parts[2], wrappers: .lenient)
            } else if parts.count == 4, parts[0] == "document" {
                result.entries.append(Entry(type: parts[1], id: parts[2], body: parts[3]))
            }
        }
        return result
    }

    // MARK: - Compiling

    /// The modules that the program is linked of.
    private static let modules = [
        "SealiteModel", "SealiteQuery", "SealiteQueryLanguage", "SealiteDatabase", "SealiteGRDB", "GRDB",
        "SealiteMaintenance", "SealiteFile", "SealiteFunctions", "SealiteVectors", "SealiteGeometry", "SealiteValues",
        "SealiteRevisions",
        "SealiteJSON",
        "SealiteBase", "SealiteCrypto", "Logging", "CoreMetrics",
    ]

    private func compile(_ sources: [String], to program: String, in folder: String) throws {
        let build = ChildProcess.buildFolder
        var arguments = ["swiftc", "-swift-version", "6", "-warnings-as-errors", "-Onone", "-o", program]
        // The strictest settings that applications may have.
        for feature in ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"] {
            arguments += ["-enable-upcoming-feature", feature]
        }
        arguments += ["-I", "\(build)/Modules", "-module-cache-path", "\(build)/ModuleCache"]
        arguments += try systemModules(build)
        for module in Self.modules { arguments += try Self.objects(of: module, build) }
        let kernels = try FileManager.default.contentsOfDirectory(atPath: "\(build)/CVectors.build")
        arguments += kernels.filter { $0.hasSuffix(".o") }.map { "\(build)/CVectors.build/\($0)" }
        arguments += sources + ["-lsqlite3", "-lcrypto", "-lpcre2-8"]
        let (status, output) = try ChildProcess.run("/usr/bin/env", arguments)
        if status != 0 { print(output.prefix(20_000)) }
        try #require(status == 0, "the generated code doesn't compile")
    }

    /// The object files of a module: those of its sources, since others may be left of sources that are gone.
    private static func objects(of module: String, _ build: String) throws -> [String] {
        let folder = "\(build)/\(module).build"
        let sources = try String(contentsOfFile: "\(folder)/sources", encoding: .utf8)
        return sources.split(separator: "\n").map { line in
            let name = URL(filePath: line.trimmingCharacters(in: ["'", "\""])).lastPathComponent
            return "\(folder)/\(name).o"
        }
    }

    /// The C modules that those of Sealite are made with.
    private func systemModules(_ build: String) throws -> [String] {
        let root = ModelCases.folder.deletingLastPathComponent().deletingLastPathComponent()
        let sources = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Sources").path)
        var arguments: [String] = []
        for name in sources where name.first == "C" {
            for folder in [name, "\(name)/include"] {
                arguments += ["-I", root.appending(path: "Sources/\(folder)").path]
            }
        }
        var checkouts = URL(filePath: build)
        while checkouts.path != "/", !FileManager.default.fileExists(atPath: checkouts.path + "/checkouts") {
            checkouts.deleteLastPathComponent()
        }
        return arguments + ["-I", checkouts.path + "/checkouts/GRDB.swift/Sources/GRDBSQLite"]
    }

    private var main: String {
        """
        import Foundation
        import SealiteCrypto
        import SealiteDatabase
        import SealiteFile
        import SealiteModel
        import SealiteValues

        func run<M: Model>(_ type: M.Type, _ store: ModelStore, _ lines: [[String]]) throws {
            let schema = try Schema(of: [type])
            let title = schema.objects[0].name
            print("schema", title, schema.jsonSchema(of: title).extendedJSON(.canonical), separator: "\\t")
            let collection = try store.collection(of: type)
            for line in lines where line[0] == title {
                try collection.save(document: MutableDocument(id: line[1], json: line[2]))
            }
            for object in try store.objects(type).all() {
                try store.delete(object)
                try store.save(object)
                let id = try DocumentKey.text(of: object.id.keyValue)
                print("document", title, id, try collection.document(id: id)?.toJSON() ?? "", separator: "\\t")
            }
        }

        do {
            let key = [UInt8](repeating: 7, count: 32)
            let file = try SealedDatabase.create(
                CommandLine.arguments[1], slot: .rawKey(SecretBytes(copying: key.span.bytes)))
            let types: [any Model.Type] = [\(types.map { "\($0).self" }.joined(separator: ", "))]
            let store = try ModelStore.open(try Database(file: file), ModelConfiguration(types: types))
            let lines = try String(contentsOfFile: CommandLine.arguments[2], encoding: .utf8).split(separator: "\\n")
                .map { $0.split(separator: "\\t").map(String.init) }
            for type in types { try run(type, store, lines) }
        } catch {
            print(error)
            exit(1)
        }

        """
    }
}
