import CBench
import SealiteFile

/// The work of a sealed workload: the pages opened and sealed, and the system calls and allocations beside that.
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
    /// The ratio of the elapsed times.
    let elapsedRatio: Double
    let work: Work
    /// Plain time and what OpenSSL itself takes for the pages, as a ratio to plain.
    let limit: Double
    /// Calls of malloc and of getrandom that sealing adds, per page.
    let allocationsPerPage: Double
    let randomCallsPerPage: Double

    /// The bound, or 10 % above the limit, where the OpenSSL of this machine is slower than the 0.90 µs that the bounds stand on.
    var judgedAgainst: Double { max(workload.bound, limit * 1.1) }
    var isAbove: Bool { ratio > judgedAgainst || elapsedRatio > workload.elapsedBound ?? .infinity || callsTooOften }
    /// A Boolean value that says whether the allocator or getrandom is called for each page. Some calls come with each
    /// transaction and each new file.
    private var callsTooOften: Bool { allocationsPerPage > 0.25 || randomCallsPerPage > 0.05 }
}

/// The costs of the two files of one round.
struct Round {
    struct Cost {
        var seconds = 0.0
        var elapsed = 0.0
        /// Calls of malloc and of getrandom.
        var allocations = 0
        var random = 0
    }
    var plain = Cost()
    var sealed = Cost()
    /// Nanoseconds that OpenSSL itself took for a page, beside each step: what the machine is busy with makes both slower.
    var openingPrices: [Double] = []
    var sealingPrices: [Double] = []

    mutating func add(isSealed: Bool, _ run: () -> Void) {
        let (start, elapsedStart) = (cpuSeconds(), wallSeconds())
        let (allocations, random) = (bench_allocations(), bench_random_calls())
        run()
        func add(to cost: inout Cost) {
            cost.seconds += cpuSeconds() - start
            cost.elapsed += wallSeconds() - elapsedStart
            cost.allocations += bench_allocations() - allocations
            cost.random += bench_random_calls() - random
        }
        if isSealed { add(to: &sealed) } else { add(to: &plain) }
    }
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

    private func open(_ workload: Workload, _ uri: String) -> BenchConnection {
        let connection = connect(workload, uri)
        if workload.needsFreshFile { for step in workload.prepare { connection.run(step) } }
        return connection
    }

    /// One round: each step on the plain file and on the sealed one, the first of both in turn. A machine that is slower for
    /// some seconds is so for both.
    private func round(_ number: Int, _ workload: Workload, _ uri: (_ sealed: Bool) throws -> String) throws -> Round {
        // The plain file first: the sealed one's name holds as long as its handle.
        let plain = open(workload, try uri(false))
        let sealed = open(workload, try uri(true))
        var round = Round()
        for (index, step) in workload.run.enumerated() {
            let plainFirst = (index + number) % 2 == 0
            for isSealed in plainFirst ? [false, true] : [true, false] {
                round.add(isSealed: isSealed) { (isSealed ? sealed : plain).run(step) }
            }
            round.openingPrices.append(bench_page_cost(0, 4048))
            round.sealingPrices.append(bench_page_cost(1, 4048))
        }
        return round
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
        var rounds: [Round] = []
        for number in 0...options.rounds { rounds.append(try round(number, workload, uri)) }
        // The first round warms up, and counts the calls of the others: nothing is opened or sealed for the first time after it.
        let last = rounds[options.rounds]
        let (plain, sealed) = (rounds.dropFirst().map(\.plain.seconds), rounds.dropFirst().map(\.sealed.seconds))
        _ = try uri(true)
        _ = bench_take_traffic()
        let counted = open(workload, try scene.countedURI())
        for step in workload.run { counted.run(step) }
        let work = Work(bench_take_traffic())
        let (opening, sealing) = (rounds.flatMap(\.openingPrices), rounds.flatMap(\.sealingPrices))
        let openSSL = (work.opened * median(opening) + work.sealed * median(sealing)) / 1e9
        let pages = max(1, work.opened + work.sealed)
        return Row(
            workload: workload, plain: median(plain), sealed: median(sealed),
            ratio: median(zip(sealed, plain).map { $0 / $1 }),
            elapsedRatio: median(rounds.dropFirst().map { $0.sealed.elapsed / $0.plain.elapsed }), work: work,
            limit: 1 + openSSL / median(plain),
            allocationsPerPage: Double(last.sealed.allocations - last.plain.allocations) / pages,
            randomCallsPerPage: Double(last.sealed.random - last.plain.random) / pages)
    }
}
