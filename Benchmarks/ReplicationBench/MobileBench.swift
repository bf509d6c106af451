import BenchmarkData
import Foundation

/// Starts the processes that sync documents one by one, and prints what they tell.
struct MobileBench {
    private let documents: Int
    private let folder: String

    init(documents: Int) throws {
        self.documents = documents
        folder = NSTemporaryDirectory() + "sealite-mobile-bench-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func run() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        say("documents synced one by one, loopback, both ends sealed, \(documents) in the set")
        try child(["fill", "server.db", "\(documents + 10)", "0"]).finish()
        for mode in ["plain", "tls"] { try measure(mode) }
    }

    private func child(_ arguments: [String]) throws -> BenchChild { try BenchChild(arguments, folder: folder) }

    private func measure(_ mode: String) throws {
        let server = try child(["serve", "server.db", mode])
        let place = try server.line().split(separator: " ").map(String.init)
        func figures(_ arguments: [String]) throws -> Figures {
            let client = try child(arguments)
            let figures = Figures(try client.line())
            try client.finish()
            return figures
        }
        let name = "client-\(mode).db"
        let start = try figures(["mobile-start", name] + place + ["\(documents)"])
        func milliseconds(_ value: Double) -> String { String(format: "%.1f ms", value * 1_000) }
        say(
            "until caught up, \(mode): \(milliseconds(start["chosen"])) with the set, \(milliseconds(start["all"])) without; the first "
                + "time \(milliseconds(start["firstChosen"])) and \(milliseconds(start["firstAll"])); \(Int(start["count"])) documents"
        )
        let added = try figures(
            ["mobile-add", name] + place + [PersonGenerator(count: documents + 4).reduce("") { $1.id }])
        say("one more id, \(mode): \(Int(added["count"])) document came, told after \(milliseconds(added["seconds"]))")
        let single = try figures(["mobile-single", "single-\(mode).db"] + place)
        let push = try figures(["single", "push-\(mode).db"] + place)
        say(
            "a local write until it is told as committed, \(mode): median \(milliseconds(single["median"])), 99th percentile "
                + "\(milliseconds(single["high"])); a replicator's push \(milliseconds(push["median"])) and \(milliseconds(push["high"]))"
        )
        try server.finish()
    }
}
