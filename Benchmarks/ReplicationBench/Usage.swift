import Foundation

/// The resources that the process has used so far.
struct Usage {
    /// Seconds of processor time, in the program and in the kernel for it.
    let processorSeconds: Double
    /// The most memory the process ever held, in MiB.
    let peakMemory: Int

    static var now: Usage {
        var usage = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return Usage(
            processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime), peakMemory: usage.ru_maxrss / 1024)
    }
}

/// Prints a line at once, since all of them take minutes.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

struct BenchFailure: Error, CustomStringConvertible { let description: String }

/// Figures that a child process tells in one line, as `name=value` pairs.
struct Figures {
    private var values: [String: Double] = [:]

    init() {}

    init(_ line: String) {
        for pair in line.split(separator: " ") {
            let parts = pair.split(separator: "=")
            if parts.count == 2 { values[String(parts[0])] = Double(parts[1]) }
        }
    }

    subscript(name: String) -> Double {
        get { values[name] ?? .nan }
        set { values[name] = newValue }
    }

    var line: String { values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }

    /// Prints them where the parent reads them.
    func tell() { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
