/// Fails the n-th operation of a scenario for n = 1, 2, … until it passes, and looks at what is told and what is left.
package struct FaultRunner: Sendable {
    let stage: Stage
    /// At most how many operations to fail, evenly spread. A soak fails every one.
    let limit: Int

    package init(on stage: Stage, limit: Int, effort: Effort = .current) {
        self.stage = stage
        self.limit = effort == .soak ? .max : limit
    }

    package func run(_ scenario: Scenario, _ style: Fault.Style) throws -> Report {
        let rehearsal = try Rehearsal(scenario, on: stage)
        var report = Report(scenario)
        play(scenario, from: rehearsal.base, with: Fault(style, number: .max)).connection?.close()
        for number in stride(from: 1, to: Int.max, by: (stage.vfs.tap.count - 1) / limit + 1) {
            let outcome = play(scenario, from: rehearsal.base, with: Fault(style, number: number))
            do {
                try judge(
                    outcome, style, AllowedStates(rehearsal.digests, acknowledged: outcome.acknowledged), scenario)
            } catch {
                report.complaints.append("\(style) at operation \(number): \(error)")
            }
            guard stage.vfs.tap.strikes > 0 else { break }
            report.runs += 1
            report.reportedFaults += outcome.failure == nil ? 0 : 1
        }
        return report
    }

    private struct Outcome {
        var connection: Connection?
        var acknowledged = 0
        var failure: (any Error)?
    }

    private func play(_ scenario: Scenario, from base: DiskImage, with fault: Fault) -> Outcome {
        stage.disk.load(base)
        stage.vfs.tap.arm(fault)
        var outcome = Outcome()
        do {
            let connection = try scenario.open(on: stage)
            outcome.connection = connection
            for script in scenario.steps {
                try connection.execute(script)
                outcome.acknowledged += 1
            }
        } catch {
            outcome.failure = error
        }
        return outcome
    }

    /// Checks what the connection that met the fault sees, and what the next one does.
    private func judge(
        _ outcome: Outcome, _ style: Fault.Style, _ allowed: AllowedStates, _ scenario: Scenario
    ) throws {
        defer { stage.vfs.tap.disarm() }
        // A lasting fault stays until the connection is closed; the others are over.
        if style != .lasting {
            stage.vfs.tap.disarm()
            if let connection = outcome.connection {
                if !connection.isAutocommit { try connection.execute("ROLLBACK") }
                try allowed.check(connection)
            }
        }
        outcome.connection?.close()
        stage.vfs.tap.disarm()
        try allowed.check(scenario.open(on: stage))
    }
}
