import CBench
import SealiteFile

/// What a sealed workload did: pages opened and sealed, and what it asked of the system beside that.
struct Work {
    var opened = 0.0
    var sealed = 0.0

    init(_ traffic: bench_traffic) {
        let (page, frame, unit) = (4096.0, 4120.0, 4144.0)
        opened =
            Double(traffic.read.0) / page + Double(traffic.read.1) / frame
            + Double(traffic.read.2 + traffic.read.3) / unit
        sealed =
            Double(traffic.written.0) / page + Double(traffic.written.1) / frame
            + Double(traffic.written.2 + traffic.written.3) / unit
    }
}

/// A measured row of the table.
struct Row {
    let workload: Workload
    let plain: Double
    let sealed: Double
    let ratio: Double
    let work: Work
    /// Plain time and what OpenSSL itself takes for the pages, as a ratio to plain.
    let limit: Double
    /// Calls of malloc and of getrandom that sealing adds, per page.
    let allocationsPerPage: Double
    let randomCallsPerPage: Double

    /// The bound, or 10 % above the limit, where the OpenSSL of this machine is slower than the 0.90 µs that the bounds stand on.
    var judgedAgainst: Double { max(workload.bound, limit * 1.1) }
    var isAbove: Bool { ratio > judgedAgainst || callsTooOften }
    /// Whether a page costs a call of the allocator or of getrandom. Some come with each transaction and each new file.
    private var callsTooOften: Bool { allocationsPerPage > 0.25 || randomCallsPerPage > 0.05 }
}

struct Bench {
    let scene: Scene
    let options: Options

    private func settings(_ workload: Workload) -> String {
        "PRAGMA journal_mode=\(workload.journalMode); PRAGMA cache_size=-2000; "
            + "PRAGMA synchronous=\(workload.journalMode == "WAL" ? "NORMAL" : "FULL")"
    }

    private func connect(_ workload: Workload, _ uri: String) -> BenchConnection {
        let connection = BenchConnection(uri)
        connection.run(settings(workload))
        return connection
    }

    private func measure(_ workload: Workload, _ uri: String) -> Double {
        let connection = connect(workload, uri)
        if workload.needsFreshFile { for step in workload.prepare { connection.run(step) } }
        let start = cpuSeconds()
        for step in workload.run { connection.run(step) }
        return cpuSeconds() - start
    }

    func prepare(_ workload: Workload, sealed: Bool) throws -> String {
        let uri = try scene.freshFile(sealed: sealed)
        let connection = connect(workload, uri)
        for step in workload.prepare { connection.run(step) }
        connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
        return uri
    }

    /// Plain and sealed in turn, and OpenSSL's own price in between.
    func row(_ workload: Workload) throws -> Row {
        var uris: [Bool: String] = [:]
        if !workload.needsFreshFile { for kind in [false, true] { uris[kind] = try prepare(workload, sealed: kind) } }
        return try row(workload) { sealed in try uris[sealed] ?? scene.freshFile(sealed: sealed) }
    }

    func row(_ workload: Workload, uri: (_ sealed: Bool) throws -> String) throws -> Row {
        var times: [Bool: [Double]] = [:]
        var calls: [Bool: (allocations: Int, random: Int)] = [:]
        var costs: [Bool: [Double]] = [:]
        for round in 0...options.rounds {
            for kind in [false, true] {
                let place = try uri(kind)
                let before = (bench_allocations(), bench_random_calls())
                let seconds = measure(workload, place)
                // The first round warms up, and counts: nothing is opened or sealed for the first time after it.
                calls[kind] = (bench_allocations() - before.0, bench_random_calls() - before.1)
                if round > 0 { times[kind, default: []].append(seconds) }
                costs[kind, default: []].append(bench_page_cost(kind ? 1 : 0, 4048))
            }
        }
        _ = try uri(true)
        _ = bench_take_traffic()
        _ = measure(workload, try scene.countedURI())
        let work = Work(bench_take_traffic())
        let (plain, sealed) = (times[false] ?? [], times[true] ?? [])
        let openSSL = (work.opened * median(costs[false] ?? []) + work.sealed * median(costs[true] ?? [])) / 1e9
        let pages = max(1, work.opened + work.sealed)
        return Row(
            workload: workload, plain: median(plain), sealed: median(sealed),
            ratio: median(zip(sealed, plain).map { $0 / $1 }), work: work, limit: 1 + openSSL / median(plain),
            allocationsPerPage: Double((calls[true]?.allocations ?? 0) - (calls[false]?.allocations ?? 0)) / pages,
            randomCallsPerPage: Double((calls[true]?.random ?? 0) - (calls[false]?.random ?? 0)) / pages)
    }
}
