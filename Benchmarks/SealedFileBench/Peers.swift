import Glibc

/// The same steps on other products' encrypted SQLite, run from Python: each against plain on its own library.
struct Peers {
    let python: String
    let script: String
    let scene: Scene

    static let names = ["sqlcipher", "mc"]

    /// The CPU ratio to plain of each peer; nil where it doesn't run.
    func ratios(_ workload: Workload, rounds: Int) -> [Double?] {
        let steps = (workload.prepare, workload.run)
        func list(_ steps: [Step]) -> String { "[" + steps.map(\.json).joined(separator: ",") + "]" }
        scene.write(
            "{\"mode\":\"\(workload.journalMode)\",\"fresh\":\(workload.needsFreshFile),\"prepare\":\(list(steps.0)),"
                + "\"run\":\(list(steps.1))}", to: "steps.json")
        return Self.names.map { name in
            output("\(python) \(script) \(name) \(scene.path("steps.json")) \(rounds) \(scene.folder)").flatMap(
                Double.init)
        }
    }

    private func output(_ command: String) -> String? {
        fflush(nil)
        guard let pipe = unsafe popen(command, "r") else { return nil }
        defer { unsafe pclose(pipe) }
        var line = [CChar](repeating: 0, count: 200)
        guard unsafe fgets(&line, 200, pipe) != nil else { return nil }
        return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
