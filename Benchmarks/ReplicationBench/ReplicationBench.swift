import Foundation

/// Starts the processes, and prints what they tell.
struct ReplicationBench {
    private let documents: Int
    private let attachments: Int
    private let folder: String
    /// Most MiB that one side may hold.
    private static let memoryBound = 200.0
    /// The goal, with both ends sealed, on two cores.
    private static let aim = "aim 20,000/s; 15,000 pushed and 20,000 pulled are known of a peer that seals nothing"

    init(documents: Int, attachments: Int) throws {
        (self.documents, self.attachments) = (documents, attachments)
        folder = NSTemporaryDirectory() + "sealite-replication-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Runs everything; false where a bound is exceeded or something is missing at the end.
    func run() throws -> Bool {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        say(
            "replication, loopback, both ends sealed, \(documents) documents and \(attachments) attachments of 100 KB")
        say("(\(Self.aim))")
        try child(["fill", "documents.db", "\(documents)", "0"]).finish()
        try child(["fill", "vectors.db", "\(documents)", "0"], versioning: "vectors").finish()
        try child(["fill", "attachments.db", "0", "\(attachments)"]).finish()
        var isGood = true
        for mode in ["plain", "tls"] {
            for (content, count) in [("documents", documents), ("vectors", documents), ("attachments", attachments)]
            where count > 0 {
                for direction in ["push", "pull"] {
                    isGood = try measure(content, count, direction, mode) && isGood
                }
            }
            try single(mode)
        }
        return isGood
    }

    private func child(_ arguments: [String], versioning: String = "trees") throws -> BenchChild {
        try BenchChild(arguments, folder: folder, versioning: versioning)
    }

    /// One run over fresh databases, of which one has everything. "vectors" are documents with version vectors.
    private func measure(_ content: String, _ count: Int, _ direction: String, _ mode: String) throws -> Bool {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("run-") {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        let full = direction == "push" ? "run-client.db" : "run-server.db"
        try FileManager.default.copyItem(atPath: folder + "/\(content).db", toPath: folder + "/" + full)
        let versioning = content == "vectors" ? content : "trees"
        let server = try child(["serve", "run-server.db", mode], versioning: versioning)
        let place = try server.line().split(separator: " ").map(String.init)
        guard place.count == 2 else { throw BenchFailure(description: "the server does not serve") }
        let client = try child([direction, "run-client.db"] + place, versioning: versioning)
        let figures = Figures(try client.line())
        try server.ask()
        let served = Figures(try server.line())
        try client.finish()
        try server.finish()
        let seconds = figures["seconds"]
        let bytes = Double(count) * (content == "attachments" ? 100_000 : 300) / 1e6
        func text(_ value: Double, _ digits: Int = 1) -> String { String(format: "%.\(digits)f", value) }
        say(
            "\(direction) \(content), \(mode): \(Int(Double(count) / seconds))/s, \(text(bytes / seconds)) MB/s, "
                + "idle after \(text(seconds, 2)) s; processor \(text(figures["processor"], 2)) s client, "
                + "\(text(served["processor"], 2)) s server; peak memory \(Int(figures["memory"])) and "
                + "\(Int(served["memory"])) MiB")
        let isWhole = min(figures["count"], served["count"]) == Double(count)
        if !isWhole { say("  INCOMPLETE: \(Int(figures["count"])) and \(Int(served["count"])) documents") }
        let isBounded = max(figures["memory"], served["memory"]) <= Self.memoryBound
        if !isBounded { say("  EXCEEDED: at most \(Int(Self.memoryBound)) MiB") }
        return isWhole && isBounded
    }

    private func single(_ mode: String) throws {
        let server = try child(["serve", "run-single-server.db", mode])
        let place = try server.line().split(separator: " ").map(String.init)
        let client = try child(["single", "run-single-client.db"] + place)
        let figures = Figures(try client.line())
        try client.finish()
        try server.finish()
        say(
            "one document of a continuous push, \(mode): median \(Int(figures["median"] * 1e6)) µs, "
                + "99th percentile \(Int(figures["high"] * 1e6)) µs until the remote has stored it")
    }
}

/// One process of the benchmark; it ends with its input, and so with this process.
final class BenchChild {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var buffer: [UInt8] = []

    init(_ arguments: [String], folder: String, versioning: String = "trees", deltas: Bool = true) throws {
        let settings = [Role.versioningName: versioning, Role.deltasName: deltas ? "on" : "off"]
        process.environment = ProcessInfo.processInfo.environment.merging(settings) { $1 }
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    func line() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 10) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else { throw BenchFailure(description: "a process ended early") }
            buffer += piece
        }
    }

    func ask() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

    func finish() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchFailure(description: "a process failed") }
    }
}
