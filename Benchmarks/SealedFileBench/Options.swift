import Glibc

/// The options of the command line.
struct Options {
    var rounds = 5
    var rows = 1_000_000
    var only = ""
    /// A Python interpreter that has the peers' packages, and the script that runs them.
    var peers: (python: String, script: String)?
    /// The command-line tool, for the scan of a gigabyte.
    var tool: String?
    var extras = true

    static let usage = """
        usage: SealedFileBench [--rounds N] [--rows N] [--only WORK] [--peers PYTHON SCRIPT] [--tool SEALITE] [--no-extras]
          --rounds N    medians of so many rounds (5)
          --rows N      size of the databases: 1,000,000 rows are 513 MB
          --only WORK   rows whose name holds this text
        """

    init(_ arguments: [String]) {
        var rest = arguments[...]
        func next() -> String {
            guard let value = rest.popFirst() else { Self.fail() }
            return value
        }
        while let option = rest.popFirst() {
            switch option {
            case "--rounds": rounds = Int(next()) ?? -1
            case "--rows": rows = Int(next()) ?? -1
            case "--only": only = next()
            case "--peers": peers = (next(), next())
            case "--tool": tool = next()
            case "--no-extras": extras = false
            default: Self.fail()
            }
        }
        guard rounds > 0, rows >= 1000 else { Self.fail() }
    }

    private static func fail() -> Never {
        print(usage)
        exit(64)
    }
}
