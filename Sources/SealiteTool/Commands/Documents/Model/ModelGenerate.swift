import ArgumentParser
import Foundation
import SealiteFile
import SealiteModel

extension ModelCommand {
    /// The command `sealite model generate`, which generates Swift types from schemas.
    struct Generate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "generate",
            abstract: "Generate Swift types from schemas.",
            discussion: """
                Each type is generated as a struct that conforms to Model of the module SealiteModel. Without \
                --output the source is written to standard output; with it, each type gets a file in that folder. A \
                previously generated file is replaced. If another file has the name, the command ends with exit code \
                73.

                Example: sealite model generate dog.schema.json -o Sources/Pets
                """)

        @OptionGroup var files: SchemaFiles

        @Option("folder", name: [.short, .long], help: "The folder for the files.", completion: .directory)
        var output: String?

        @Option(help: "The access level of the types.")
        var access = SwiftWriter.Access.public

        @OptionGroup var report: OutputOptions

        func run() throws {
            let (schema, sources) = try files.read()
            let writer = try SwiftWriter(schema, access: access)
            guard let output else {
                let names = sources.map { Self.name($0.file) }.joined(separator: ", ")
                return Console.write(writer.file("", source: names).text)
            }
            let made = writer.files { type in
                sources.first { $0.title == type }.map { Self.name($0.file) }
                    ?? sources.map { Self.name($0.file) }.joined(separator: ", ")
            }
            let folder = URL(fileURLWithPath: output, isDirectory: true)
            do {
                try Self.makeFolder(output)
                let paths = made.map { folder.appending(path: $0.name).path }
                let old = try paths.filter { try isReplaceable($0) }
                for (file, path) in zip(made, paths) {
                    let output = try OutputFile(path, replacing: old.contains(path))
                    try output.add(file.text.utf8)
                    try output.finish()
                }
            } catch let error as CocoaError {
                throw ToolError(
                    .inputOutput, code: "input-output",
                    "the generated files can't be written into \"\(output)\": \(error.localizedDescription)")
            }
            report.report("made", made.map(\.name))
        }

        /// Creates the folder and its missing parents.
        private static func makeFolder(_ path: String) throws {
            var isFolder: ObjCBool = false
            if unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
                guard isFolder.boolValue else {
                    throw ToolError(
                        .exists, code: "exists", "\"\(path)\" is a file, not a folder",
                        hint: "name a folder with --output; the command writes one file for each type into it")
                }
                return
            }
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            } catch let error as CocoaError {
                guard let reason = (error.underlying as? POSIXError)?.code else { throw error }
                throw SealedFileError(errno: reason.rawValue, doing: "making the folder", path)
            }
        }

        private static func name(_ path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }

        /// Returns whether a generated file exists at a path.
        ///
        /// - Throws: an error if the file at the path isn't a generated one.
        private func isReplaceable(_ path: String) throws -> Bool {
            guard FileManager.default.fileExists(atPath: path) else { return false }
            let head = Array("// Generated from ".utf8)
            guard try InputFile(path, besides: "").piece(head.count) == head else {
                throw ToolError(
                    .exists, code: "exists", "\"\(path)\" exists, and 'sealite model generate' didn't write it",
                    hint: "move it away, or name another folder with --output")
            }
            return true
        }
    }
}
