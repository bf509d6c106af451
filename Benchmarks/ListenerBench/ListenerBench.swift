import Foundation

/// Starts a server and its clients, and prints what they took.
struct ListenerBench {
    private let program: String
    private let folder: String
    private let clientFolder: String
    /// The number of documents that each client pushes, and that it pulls.
    private static let documents = 100
    /// The number of clients whose rate is compared with that of one client that does all of their work.
    private static let compared = 200
    private static let clientsOfProcess = 125

    /// What one run took.
    private struct Figures {
        var rate = 0.0
        var failed = 0
        /// KiB of memory for each client.
        var memory = 0.0
    }

    init(program: String) throws {
        self.program = URL(fileURLWithPath: program).path
        folder = NSTemporaryDirectory() + "sealite-listener-bench-\(getpid())"
        let memory = "/dev/shm"
        clientFolder =
            FileManager.default.isWritableFile(atPath: memory)
            ? "\(memory)/sealite-listener-bench-\(getpid())" : folder + "/clients"
        for path in [folder, clientFolder] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
    }

    /// Runs all, and returns whether the bounds are kept.
    func run(_ counts: [Int]) throws -> Bool {
        defer { for path in [folder, clientFolder] { try? FileManager.default.removeItem(atPath: path) } }
        try Data(ServerFile.keyBytes).write(to: URL(fileURLWithPath: folder + "/key"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/key")
        say("clients  documents/s  median s  95th percentile s  KiB a client  server's µs a document  failed")
        var all: [Int: Figures] = [:]
        for count in counts { all[count] = try measure(count, documents: Self.documents, name: "\(count)") }
        var isGood = all.values.allSatisfy { $0.failed == 0 }
        if let many = all[Self.compared] {
            let one = try measure(1, documents: Self.documents * Self.compared, name: "1 for \(Self.compared)")
            let ratio = many.rate / one.rate
            isGood = isGood && ratio >= 0.7 && many.memory <= 600 && one.failed == 0
            say(
                "\(Self.compared) clients have \(text(ratio, 2)) of the rate of one that does all (at least 0.7), and take "
                    + "\(Int(many.memory)) KiB each (at most 600)")
        }
        return isGood
    }

    private func measure(_ count: Int, documents: Int, name: String) throws -> Figures {
        for path in try FileManager.default.contentsOfDirectory(atPath: clientFolder) {
            try FileManager.default.removeItem(atPath: clientFolder + "/" + path)
        }
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: "\(folder)/server.db\(suffix)")
        }
        try BenchChild(own, ["fill", "server.db", "\(documents)"], folder: folder).finish()
        let limits = ["--connections-per-address", "\(count)"] + (count > 256 ? ["--connections", "\(count)"] : [])
        let server = try BenchChild(
            program, ["serve", "server.db", "-k", "key", "--anyone", "--json", "--log-level", "error"] + limits,
            folder: folder)
        let report = try JSONSerialization.jsonObject(with: Data(try server.line().utf8)) as? [String: Any]
        guard let url = (report?["urls"] as? [String])?.first, let pin = report?["pin"] as? String else {
            throw BenchFailure(description: "the server does not serve")
        }
        var groups: [BenchChild] = []
        for first in stride(from: 0, to: count, by: Self.clientsOfProcess) {
            let words = ["\(first)", "\(min(Self.clientsOfProcess, count - first))", "\(documents)", url, pin]
            groups.append(try BenchChild(own, ["clients"] + words, folder: clientFolder))
        }
        for group in groups {
            guard try group.line() == "ready" else { throw BenchFailure(description: "the clients are not ready") }
        }
        let before = try server.usage()
        try server.forgetPeak()
        let start = ContinuousClock.now
        for group in groups { try group.tell("go") }
        let words = try groups.flatMap { try $0.line().split(separator: " ") }
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        let after = try server.usage()
        for group in groups { try group.finish() }
        server.stop()
        let times = words.compactMap { Double($0) }.sorted()
        let total = Double(2 * count * documents)
        var figures = Figures()
        figures.rate = total / (Double(seconds) + Double(attoseconds) / 1e18)
        figures.failed = count - times.count
        figures.memory = Double(after.peakKibibytes - before.kibibytes) / Double(count)
        func time(_ part: Double) -> String {
            times.isEmpty ? "-" : text(times[min(times.count - 1, Int(Double(times.count) * part))], 2)
        }
        let cells = [
            "\(Int(figures.rate))", time(0.5), time(0.95), "\(Int(figures.memory))",
            text((after.seconds - before.seconds) / total * 1e6, 1), "\(figures.failed)",
        ]
        say(zip([name] + cells, [7, 13, 10, 19, 14, 24, 8]).map { pad($0, $1) }.joined())
        return figures
    }

    private var own: String { URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path }

    private func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }

    private func text(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}

/// A process of the benchmark, which ends with its input or by a signal.
final class BenchChild {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var buffer: [UInt8] = []

    init(_ program: String, _ arguments: [String], folder: String) throws {
        process.executableURL = URL(fileURLWithPath: program)
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

    func tell(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    func finish() throws {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchFailure(description: "a process failed") }
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Processor time so far, resident memory, and its peak since `forgetPeak()`.
    func usage() throws -> (seconds: Double, kibibytes: Int, peakKibibytes: Int) {
        let place = "/proc/\(process.processIdentifier)/"
        let fields =
            try String(contentsOfFile: place + "stat", encoding: .utf8).split(separator: ")").last?
            .split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw BenchFailure(description: "the usage of a process is unknown")
        }
        let lines = try String(contentsOfFile: place + "status", encoding: .utf8).split(separator: "\n")
        func kibibytes(_ name: String) -> Int {
            let words = lines.first { $0.hasPrefix(name) }?.split { $0 == " " || $0 == "\t" } ?? []
            return words.count > 1 ? Int(words[1]) ?? 0 : 0
        }
        return ((user + system) / Double(sysconf(Int32(_SC_CLK_TCK))), kibibytes("VmRSS:"), kibibytes("VmHWM:"))
    }

    /// Begins to measure the peak of memory anew.
    func forgetPeak() throws {
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/\(process.processIdentifier)/clear_refs"))
    }
}
