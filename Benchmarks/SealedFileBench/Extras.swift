import CBench
import Glibc
import SealiteCrypto
import SealiteFile

/// Measurements beside the workloads: size, opening, an aged file, memory of a long scan.
struct Extras {
    let bench: Bench
    let scene: Scene
    let options: Options

    /// Measures, prints, and says whether a bound was exceeded.
    func run() throws -> Bool {
        print("")
        var isAbove = try size()
        isAbove = try aged() || isAbove
        isAbove = try opening() || isAbove
        if let tool = options.tool { isAbove = try memory(of: tool) || isAbove }
        return isAbove
    }

    private func say(_ what: String, _ found: String, _ asked: String, isAbove: Bool) -> Bool {
        print(column(what, width: 44) + found + ", at most \(asked)" + (isAbove ? "  ABOVE" : ""))
        return isAbove
    }

    private func byteCount(_ name: String) -> Double {
        var status = stat()
        return unsafe stat(scene.path(name), &status) == 0 ? Double(status.st_size) : .nan
    }

    private func size() throws -> Bool {
        let scan = Workload.scan("DELETE", options.rows)
        for kind in [false, true] { _ = try bench.prepare(scan, sealed: kind) }
        let percent = ((byteCount("sealed.db") - 8192) / byteCount("plain.db") - 1) * 100
        return say(
            "sealed file, beside its header", "\(column(percent, 2, width: 1)) % larger", "1.5", isAbove: percent > 1.5)
    }

    /// Ten thousand connections have each changed a few pages: as many nonce prefixes lie in the file.
    private func aged() throws -> Bool {
        guard let fresh = scene.handle else { return true }
        let (scan, reads) = (Workload.scan("DELETE", options.rows), Workload.pointReads("DELETE", options.rows))
        func measure(_ when: String) throws {
            for workload in [scan, reads] {
                let row = try bench.row(workload) { sealed in sealed ? fresh.uri : "file:\(scene.path("plain.db"))" }
                print(
                    column("\(workload.name) of \(when)", width: 44)
                        + "\(column(row.ratio, 2, width: 1)) times plain, limit \(column(row.limit, 2, width: 1))")
            }
        }
        try measure("a fresh file")
        let prefixes = min(10_000, options.rows / 100)
        for number in 0..<prefixes {
            let connection = BenchConnection(fresh.uri)
            connection.run("PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY; BEGIN")
            connection.run(
                Step(
                    sql: "UPDATE t SET b = b + ?1 WHERE a = (?2 + \(number * 100_003)) % \(options.rows) + 1",
                    count: 12,
                    multiplier: 7_368_787, modulus: options.rows))
            connection.run("COMMIT")
        }
        try measure("a file of \(prefixes) nonce prefixes")
        return false
    }

    private func opening() throws -> Bool {
        var times: [Double] = []
        for _ in 0..<200 {
            let start = wallSeconds()
            let database = try SealedDatabase.open(
                scene.path("sealed.db"), key: .rawKey(SecretBytes(copying: scene.key)))
            _ = BenchConnection(database.uri).integer("SELECT count(*) FROM sqlite_schema")
            times.append((wallSeconds() - start) * 1000)
        }
        let milliseconds = median(times)
        return say(
            "unlock with a raw key, open, read, close", "\(column(milliseconds, 2, width: 1)) ms", "2",
            isAbove: milliseconds > 2)
    }

    private func memory(of tool: String) throws -> Bool {
        let uri = try scene.freshFile(sealed: true)
        let rows = options.rows * 2
        for step in Workload.fill(rows) { BenchConnection(uri).run(step) }
        scene.write(scene.key.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(), to: "key")
        let arguments = [
            tool, "sql", scene.path("sealed.db"), "SELECT count(*), sum(length(c)) FROM t", "--key-file",
            scene.path("key"),
        ]
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { for index in arguments.indices { unsafe free(words[index]) } }
        let peak = Double(unsafe bench_peak_memory(&words)) / 1024
        let gigabytes = byteCount("sealed.db") / 1e9
        return say(
            "peak memory of 'sealite sql', \(column(gigabytes, 2, width: 1)) GB scanned",
            "\(column(peak, 1, width: 1)) MiB", "64",
            isAbove: !(peak > 0 && peak < 64))
    }
}
