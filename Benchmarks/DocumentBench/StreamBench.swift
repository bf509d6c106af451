import Foundation
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteQuery

/// Reads a million rows while they come, in a process of its own, whose memory is nothing else's.
struct StreamBench {
    /// The first argument of the process that streams; the second is the folder.
    static let argument = "stream"

    /// Starts the process and waits for its end.
    static func runAlone(_ folder: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [argument, folder]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { fatalError("the streaming failed") }
    }

    let folder: String

    func run() throws {
        let database = try Database.open(folder + "/sealed.db", key: .rawKey(SealedBench.key))
        let text = """
            SELECT person.name, first, second, third FROM _ AS person UNNEST person.tags AS first
            UNNEST person.tags AS second UNNEST person.tags AS third LIMIT 1000000
            """
        let before = Self.peakMemory
        var count = 0
        let time = try ContinuousClock().measure {
            let rows = try database.createQuery(text).execute()
            while let row = try rows.nextResult() { count += row.string(at: 3) == nil ? 0 : 1 }
        }
        let growth = Self.peakMemory - before
        print("streaming \(count) rows: \(time), memory grew by \(growth) MiB from \(before) MiB")
        try database.close()
    }

    /// The most memory this process held, in MiB. What getrusage(2) says begins with the memory of the process that started it.
    static var peakMemory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) / 1024
    }
}
