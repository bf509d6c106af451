/// The content that a database may have after trouble.
struct AllowedStates {
    let digests: [UInt64]
    /// Indices into `digests`.
    let range: ClosedRange<Int>

    /// Allows the state after as many steps as were acknowledged, and the one after, which may have been committed too;
    /// from `first` on, where older ones are allowed.
    init(_ digests: [UInt64], acknowledged: Int, from first: Int? = nil) {
        self.digests = digests
        range = max(first ?? acknowledged, 0)...min(acknowledged + 1, digests.count - 1)
    }

    /// Throws unless the connection finds a sound database in one of the states.
    func check(_ connection: Connection) throws {
        let complaints = try connection.column("PRAGMA integrity_check")
        guard complaints == ["ok"] else { throw Complaint("integrity check: " + complaints.joined(separator: "; ")) }
        let digest = try connection.digest()
        guard digests[range].contains(digest) else {
            let found = digests.firstIndex(of: digest).map { "that of step \($0)" } ?? "of no step"
            throw Complaint("the content is \(found), allowed are steps \(range)")
        }
    }
}

/// A defect that a check found.
struct Complaint: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The outcome of a scenario's runs.
package struct Report: Sendable, CustomStringConvertible {
    package let scenario: String
    /// The distinct pairs of (operation, seed or style).
    package internal(set) var runs = 0
    /// The runs that lost or tore at least one write that wasn't synced.
    package internal(set) var lossyRuns = 0
    /// The runs whose recovery was cut short by a second power loss.
    package internal(set) var doubleLosses = 0
    /// The runs in which the connection told of the fault; the others went well in spite of it.
    package internal(set) var reportedFaults = 0
    package internal(set) var complaints: [String] = []

    init(_ scenario: Scenario) {
        self.scenario = scenario.name
    }

    package var description: String {
        let counts = [
            "\(runs) runs", lossyRuns > 0 ? "\(lossyRuns) lost a write" : nil,
            doubleLosses > 0 ? "\(doubleLosses) lost power twice" : nil,
            reportedFaults > 0 ? "\(reportedFaults) faults reported" : nil, "\(complaints.count) complaints",
        ]
        return "\(scenario): " + counts.compactMap(\.self).joined(separator: ", ")
    }
}
