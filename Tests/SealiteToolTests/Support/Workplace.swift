import Foundation
import Glibc
import SealiteCrypto
import SealiteFile

/// A folder of one test, in which the tool runs, with a key and a passphrase to use.
final class Workplace {
    let path: String
    /// 32 bytes, in "key".
    static let key: [UInt8] = (0..<32).map { UInt8($0 * 7 + 1) }

    init() throws {
        var template = Array("/tmp/sealite-tool-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try write(Self.key, to: "key")
        try write("open sesame\n", to: "passphrase")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ bytes: some Sequence<UInt8>, to name: String, mode: Int = 0o600) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name))
    }

    func write(_ text: String, to name: String, mode: Int = 0o600) throws {
        try write(Array(text.utf8), to: name, mode: mode)
    }

    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: file(name)))) }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: file(name)) }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

    /// The number of bytes in a file; 0 where there is none.
    func size(_ name: String) -> Int { (try? read(name).count) ?? 0 }

    func mode(_ name: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int ?? -1
    }

    /// The names in the folder, the two secrets and standard streams left out.
    var names: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return all.filter { !["key", "passphrase"].contains($0) && !$0.hasPrefix("std") }.sorted()
    }

    /// Runs the tool to its end.
    @discardableResult
    func sealite(
        _ arguments: String..., input: String = "", environment: [String: String] = [:], files: [CInt: String] = [:]
    ) throws -> Outcome {
        try run([Tool.path] + arguments, input: input, environment: environment, files: files)
    }

    /// Runs any program to its end.
    @discardableResult
    func run(
        _ command: [String], input: String = "", environment: [String: String] = [:], files: [CInt: String] = [:]
    ) throws -> Outcome {
        let number = streamCount
        streamCount += 1
        try write(input, to: "stdin\(number)")
        var streams: [(CInt, String, CInt)] = [
            (0, file("stdin\(number)"), O_RDONLY), (1, file("stdout\(number)"), O_WRONLY | O_CREAT),
            (2, file("stderr\(number)"), O_WRONLY | O_CREAT),
        ]
        for (descriptor, name) in files { streams.append((descriptor, file(name), O_RDONLY)) }
        let child = try ChildProcess(command, folder: path, environment: environment, files: streams)
        return Outcome(
            status: child.wait(), out: String(decoding: try read("stdout\(number)"), as: UTF8.self),
            err: String(decoding: try read("stderr\(number)"), as: UTF8.self))
    }

    private var streamCount = 0

    /// Makes a database with a raw-key slot through the tool's library.
    func makeDatabase(_ name: String = "a.db", _ sql: String = "") throws {
        let sealed = try SealedDatabase.create(file(name), slot: .rawKey(Self.secret))
        try sealed.connect().execute(sql)
    }

    static var secret: SecretBytes { unsafe SecretBytes(copying: key.span.bytes) }

    func open(_ name: String = "a.db") throws -> SealedDatabase {
        try SealedDatabase.open(file(name), key: .rawKey(Self.secret))
    }
}

/// The outcome of a run of the tool.
struct Outcome {
    /// The exit code, or 128 and the signal's number, as a shell has it.
    let status: CInt
    let out: String
    let err: String

    var json: [String: Any]? { Outcome.object(err) }

    static func object(_ text: String) -> [String: Any]? {
        try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    }
}

/// The built tool: it lies beside the test bundle.
enum Tool {
    static let path: String = {
        if let path = ProcessInfo.processInfo.environment["SEALITE_TOOL"] { return path }
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("sealite").path
    }()
}
