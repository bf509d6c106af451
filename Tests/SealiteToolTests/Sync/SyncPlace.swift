import SealiteTestSupport
import Testing
import Foundation
import Glibc

/// A workplace with two sealed document databases and a vault each for the client and the server.
final class SyncPlace {
    let place: Workplace

    init() throws {
        place = try Workplace()
        for name in ["client.db", "server.db"] { try place.makeDatabase(name) }
    }

    /// Nothing in it speaks for a credential store.
    private var environment: [String: String] {
        ["HOME": place.path, "XDG_DATA_HOME": place.file("data"), "XDG_CONFIG_HOME": place.file("config")]
    }

    /// Runs the tool with the client's vault.
    @discardableResult
    func client(_ arguments: String..., input: String = "") throws -> Outcome {
        try run(arguments + Self.vault("client"), input: input)
    }

    /// Runs the tool with the server's vault.
    @discardableResult
    func server(_ arguments: String..., input: String = "") throws -> Outcome {
        try run(arguments + Self.vault("server"), input: input)
    }

    /// Syncs the client's database.
    func sync(_ url: String, _ arguments: String...) throws -> Outcome { try sync(url, arguments) }

    /// Syncs the client's database.
    func sync(_ url: String, _ arguments: [String]) throws -> Outcome {
        try run(["sync", "client.db", url, "--key-file", "key"] + arguments + vaultIfThere)
    }

    /// Lists what remotes have refused of the client's database.
    func status(_ arguments: String...) throws -> Outcome {
        try run(["sync-status", "client.db"] + arguments + ["--key-file", "key"])
    }

    /// Syncs the client's database in a process of its own, whose reports go into a file.
    func startSync(
        _ url: String, _ arguments: String..., into file: String, environment more: [String: String] = [:]
    ) throws -> ChildProcess {
        try ChildProcess(
            [Tool.path, "sync", "client.db", url, "--key-file", "key", "--json"] + arguments + vaultIfThere,
            folder: place.path, environment: environment.merging(more) { $1 }, files: streams(file))
    }

    @discardableResult
    func put(_ database: String, _ id: String, _ json: String = "{}") throws -> Outcome {
        try run(["doc", "put", database, id, json, "--key-file", "key"])
    }

    /// A document's properties as JSON; nil if it isn't there.
    func document(_ database: String, _ id: String) throws -> String? {
        let outcome = try run(["doc", "get", database, id, "--key-file", "key"])
        return outcome.status == 0 ? outcome.out : nil
    }

    /// The ids of a database's documents.
    func ids(_ database: String) throws -> Set<String> {
        let outcome = try run(["doc", "list", database, "--key-file", "key"])
        return Set(outcome.out.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) })
    }

    /// The reports of a process that has written to a file so far.
    func reports(_ file: String) -> [[String: Any]] {
        let text = (try? String(decoding: place.read(file), as: UTF8.self)) ?? ""
        return text.split(separator: "\n").compactMap { Outcome.object(String($0)) }
    }

    /// A certificate authority, a certificate of it for a client, and one of another authority.
    func makeCertificates() throws {
        for line in [
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 30 -subj /CN=ca",
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout me.key -out me.csr -subj /CN=me",
            "x509 -req -in me.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -out me.pem",
            "x509 -in ca.pem -signkey ca.key -days 0 -out old.pem",
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out other.pem -days 30 -subj /CN=other",
        ] {
            let outcome = try place.run(["openssl"] + line.split(separator: " ").map(String.init))
            guard outcome.status == 0 else { throw POSIXError(.EIO) }
        }
    }

    private func run(_ arguments: [String], input: String = "") throws -> Outcome {
        try place.run([Tool.path] + arguments, input: input, environment: environment)
    }

    private var vaultIfThere: [String] { place.exists("client.vault") ? Self.vault("client") : [] }

    static func vault(_ side: String) -> [String] { ["--vault", "\(side).vault", "--vault-key-file", "key"] }

    private func streams(_ file: String) -> [(CInt, String, CInt)] {
        [
            (0, "/dev/null", O_RDONLY), (1, place.file(file), O_WRONLY | O_CREAT | O_TRUNC),
            (2, place.file("\(file).errors"), O_WRONLY | O_CREAT | O_TRUNC),
        ]
    }

    /// `sealite serve` in a process of its own, for anyone if the arguments name no check, with what it announced.
    func serve(_ arguments: String..., port: Int = 0) throws -> Server { try serve(arguments, port: port) }

    func serve(_ arguments: [String], port: Int = 0, environment more: [String: String] = [:]) throws -> Server {
        let isChecked = ["--user", "--set-password", "--client-ca"].contains { arguments.contains($0) }
        let isQuiet = !arguments.contains("--log-level")
        let process = try ChildProcess(
            [Tool.path, "serve", "server.db", "--key-file", "key", "--json", "--port", "\(port)"] + arguments
                + (isQuiet ? ["--log-level", "critical"] : []) + (isChecked ? [] : ["--anyone"])
                + Self.vault("server"),
            folder: place.path, environment: environment.merging(more) { $1 }, files: streams("served"))
        eventuallyBlocking("a server") {
            !reports("served").isEmpty || isQuiet && place.size("served.errors") > 0
        }
        guard let report = reports("served").first,
            let url = (report["urls"] as? [String])?.first
        else {
            throw ServerFailed(
                description: (try? String(decoding: place.read("served.errors"), as: UTF8.self)) ?? "no report")
        }
        return Server(
            process: process, url: url, pin: report["pin"] as? String ?? "", metrics: report["metrics"] as? String ?? ""
        )
    }

    struct Server {
        let process: ChildProcess
        let url: String
        let pin: String
        /// The URL of the numbers of `--metrics-port`; empty without it.
        let metrics: String
        var port: Int { Self.port(url) }
        var metricsPort: Int { Self.port(metrics) }

        private static func port(_ url: String) -> Int {
            Int(url.split(separator: ":").last?.prefix { $0.isNumber } ?? "") ?? 0
        }

        /// Ends it in order.
        func end() -> CInt {
            process.send(SIGTERM)
            return process.wait()
        }
    }

    struct ServerFailed: Error, CustomStringConvertible { let description: String }
}
