import CSQLite
import Foundation
import SealiteDatabase
import SealiteQuery

/// Measures the memory that searches and trainings take beyond SQLite's page cache, each kind of work in a process of its own.
enum MemoryBench {
    /// A kind of work, with the most memory in MiB that it may take.
    enum Work: String, CaseIterable {
        case search
        case training
        case trainingByAngles = "training-cosine"

        var bound: Int { self == .search ? 16 : 64 }
    }

    /// Runs this program once for each kind of work on a database of `VectorBench`, which has an index.
    ///
    /// - Returns: whether all of them kept to their bounds.
    static func run(path: String) throws -> Bool {
        var isWithinBounds = true
        for work in Work.allCases {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = ["memory", work.rawValue, path]
            try process.run()
            process.waitUntilExit()
            isWithinBounds = isWithinBounds && process.terminationStatus == 0
        }
        return isWithinBounds
    }

    /// Does one kind of work, and says how much memory it took.
    ///
    /// - Returns: whether it kept to its bound.
    static func measure(_ work: Work, path: String) throws -> Bool {
        let database = try VectorBench.open(path)
        let collection = try database.defaultCollection()
        var vectors: [String] = []
        for row in try database.createQuery("SELECT v FROM _ LIMIT 50" as String).execute() {
            if let text = row.string(forKey: "v") { vectors.append(text) }
        }
        // The cache of pages is as large as it gets.
        _ = try database.createQuery("SELECT COUNT(*) FROM _ WHERE v LIKE '%====%'" as String).execute().allResults()
        let memory = try Memory()
        switch work {
        case .search:
            for options in ["", ", NULL, NULL, TRUE"] {
                let text: String =
                    "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(v, $vector\(options)) LIMIT 10"
                let query = try database.createQuery(text)
                for vector in vectors {
                    query.parameters = Parameters().setString(vector, forName: "vector")
                    _ = try query.execute().allResults()
                }
            }
        case .training, .trainingByAngles:
            let count = try collection.count
            var config = VectorIndexConfiguration(
                expression: "v", dimensions: UInt32(VectorSet.dimensions),
                centroids: VectorBench.centroids(for: Int(count)))
            config.metric = work == .training ? .euclideanSquared : .cosine
            try collection.createIndex(withName: "measured", config: config)
        }
        let taken = try memory.taken()
        if work != .search { try collection.deleteIndex(forName: "measured") }
        try database.close()
        print(
            "memory beyond the page cache, \(work.rawValue): "
                + "\(String(format: "%.1f", Double(taken) / 1048576)) MiB of at most \(work.bound)")
        return taken <= work.bound << 20
    }

    /// The memory of this process at a moment.
    private struct Memory {
        private let resident: Int
        private let cached: Int

        init() throws {
            // Resets the peak of the resident memory.
            try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
            resident = try Self.kibibytes("VmRSS:") << 10
            cached = Self.cache(resets: true).current
        }

        /// Returns how much memory has been taken since then at most, without that of the page cache, in bytes.
        func taken() throws -> Int {
            let cache = Self.cache(resets: false).greatest - cached
            return max(try Self.kibibytes("VmHWM:") << 10 - resident - cache, 0)
        }

        private static func kibibytes(_ name: String) throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.split(separator: " ").compactMap { Int($0) }.first ?? line.flatMap {
                Int($0.filter(\.isNumber))
            } ?? 0
        }

        /// The memory of all page caches, now and at most.
        private static func cache(resets: Bool) -> (current: Int, greatest: Int) {
            var (current, greatest): (sqlite3_int64, sqlite3_int64) = (0, 0)
            _ = unsafe sqlite3_status64(SQLITE_STATUS_PAGECACHE_OVERFLOW, &current, &greatest, resets ? 1 : 0)
            return (Int(current), Int(greatest))
        }
    }
}
