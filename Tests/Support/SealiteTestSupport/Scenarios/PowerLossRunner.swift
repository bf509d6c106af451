/// Lets the power fail at points of a scenario, and looks at what is left.
///
/// The scenario is played once; a power loss after any of its operations is then a prefix of the disk's log.
package struct PowerLossRunner: Sendable {
    let stage: Stage
    let effort: Effort

    package init(on stage: Stage, effort: Effort = .current) {
        self.stage = stage
        self.effort = effort
    }

    package func run(_ scenario: Scenario) throws -> Report {
        let rehearsal = try Rehearsal(scenario, on: stage)
        let (stride, seedCount) = plan(rehearsal)
        var report = Report(scenario)
        var platter = Platter(rehearsal.base)
        for point in 0...rehearsal.events.count {
            if point > 0 { platter.record(rehearsal.events[point - 1]) }
            // With nothing to lose, all seeds are one.
            let seeds = platter.pending.isEmpty ? 1 : point % stride == 0 ? seedCount : 0
            for index in 0..<seeds {
                let seed = TestSeed.run &+ UInt64(point * seedCount + index)
                let loss = platter.afterPowerLoss(seed: seed)
                report.runs += 1
                report.lossyRuns += loss.lostWrites > 0 ? 1 : 0
                do {
                    let aftermath = Aftermath(scenario, on: stage, of: rehearsal, at: point)
                    if try aftermath.endure(loss, seed: seed) { report.doubleLosses += 1 }
                } catch {
                    report.complaints.append("operation \(point) of \(rehearsal.events.count), seed \(seed): \(error)")
                }
            }
        }
        return report
    }

    /// Which of the points with something to lose to try, one in how many, and with how many seeds.
    private func plan(_ rehearsal: Rehearsal) -> (stride: Int, seedCount: Int) {
        var platter = Platter(rehearsal.base)
        var points = 0
        for event in rehearsal.events {
            platter.record(event)
            points += platter.pending.isEmpty ? 0 : 1
        }
        let stride = max(1, points * 3 / effort.runsPerScenario)
        return (stride, effort.runsPerScenario * stride / max(points, 1) + 1)
    }
}

/// The recovery after a power failure, which another failure may interrupt, and the check.
private struct Aftermath {
    let scenario: Scenario
    let stage: Stage
    let rehearsal: Rehearsal
    let acknowledged: Int

    init(_ scenario: Scenario, on stage: Stage, of rehearsal: Rehearsal, at point: Int) {
        self.scenario = scenario
        self.stage = stage
        self.rehearsal = rehearsal
        acknowledged = rehearsal.acknowledged(at: point)
    }

    /// Recovers and checks. Returns whether there was a second power failure.
    func endure(_ loss: PowerLoss, seed: UInt64) throws -> Bool {
        stage.disk.load(loss.image)
        guard seed % 4 == 1 else {
            try check(loss, otherFirst: seed % 2 == 0)
            return false
        }
        try recover(otherFirst: true)
        let events = stage.disk.events
        guard !events.isEmpty else {
            try check(loss, otherFirst: false)
            return false
        }
        var platter = Platter(loss.image)
        var chance = SeededRandom(seed: seed)
        for event in events.prefix(chance.below(events.count)) { platter.record(event) }
        var second = platter.afterPowerLoss(seed: chance.next())
        second.add(loss)
        stage.disk.load(second.image)
        try check(second, otherFirst: false)
        return true
    }

    /// Opens the databases for reading, each on its own, so that one recovers without the other.
    private func recover(otherFirst: Bool) throws {
        let paths = scenario.paths(on: stage)
        for path in otherFirst ? paths.reversed() : paths {
            _ = try stage.open([path]).column("SELECT name FROM sqlite_master")
        }
    }

    private func check(_ loss: PowerLoss, otherFirst: Bool) throws {
        try recover(otherFirst: otherFirst)
        let connection = try scenario.open(on: stage)
        try allowed(after: loss).check(connection)
        try connection.execute("CREATE TABLE afterwards (a); INSERT INTO afterwards VALUES (zeroblob(3000))")
        guard try connection.column("PRAGMA quick_check") == ["ok"] else { throw Complaint("unsound after a commit") }
    }

    private func allowed(after loss: PowerLoss) -> AllowedStates {
        let first =
            switch scenario.guarantee {
            case .lastCommit: acknowledged
            case .lastCommitUnlessJournalReturns: loss.lostDeletions > 0 ? acknowledged - 1 : acknowledged
            case .anyCommit: 0
            }
        return AllowedStates(rehearsal.digests, acknowledged: acknowledged, from: first)
    }
}
