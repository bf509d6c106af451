public import Logging
public import SealiteFile

// Key rotation with logging. The module of sealed files doesn't log, since it is part of the loadable extension, which
// is loaded into other programs.
extension KeyRotation {
    /// Rotates keys like `run(busyTimeout:progress:)`, and logs the rotation: its start and end, with counts of slots
    /// and pages, at level `info`, and its stages at `debug`. A rotation that is cancelled, or prevented by a lock or
    /// by another rotation, is logged at `warning`, other errors at `error`. The log contains neither the file's name
    /// nor labels of slots nor secrets.
    ///
    /// - Parameters:
    ///   - logger: the logger.
    ///   - busyTimeout: the time to wait for a lock that another connection holds.
    ///   - progress: called after each batch of pages; `.stop` interrupts the rotation, which can be finished later.
    /// - Returns: a report of the rotation.
    /// - Throws: the errors of `run(busyTimeout:progress:)`.
    public func run(
        loggingTo logger: Logger, busyTimeout: Duration = .seconds(60),
        progress: (RotationProgress) -> Control = { _ in .proceed }
    ) throws(SealedFileError) -> RotationReport {
        try logged(to: logger) { (log) throws(SealedFileError) in
            try run(busyTimeout: busyTimeout) { state in
                log.entered(state)
                return progress(state)
            }
        }
    }

    /// Finishes an interrupted rotation like `finish(busyTimeout:progress:)`, and logs it like
    /// ``run(loggingTo:busyTimeout:progress:)``.
    ///
    /// - Parameters:
    ///   - logger: the logger.
    ///   - busyTimeout: the time to wait for a lock that another connection holds.
    ///   - progress: called after each batch of pages; `.stop` interrupts the rotation, which can be finished later.
    /// - Returns: a report of the rotation.
    /// - Throws: the errors of `finish(busyTimeout:progress:)`.
    public func finish(
        loggingTo logger: Logger, busyTimeout: Duration = .seconds(60),
        progress: (RotationProgress) -> Control = { _ in .proceed }
    ) throws(SealedFileError) -> RotationReport {
        try logged(to: logger) { (log) throws(SealedFileError) in
            try finish(busyTimeout: busyTimeout) { state in
                log.entered(state)
                return progress(state)
            }
        }
    }

    private func logged(
        to logger: Logger, _ work: (RotationLog) throws(SealedFileError) -> RotationReport
    ) throws(SealedFileError) -> RotationReport {
        let log = RotationLog(logger)
        log.began(slots: slots.count, isResuming: isResuming)
        do throws(SealedFileError) {
            let report = try work(log)
            log.ended(report)
            return report
        } catch {
            log.failed(error)
            throw error
        }
    }
}

/// Writes the log entries of one key rotation.
private final class RotationLog {
    private let logger: Logger
    private let start = ContinuousClock.now
    private var stage: RotationProgress.Stage?

    init(_ logger: Logger) { self.logger = logger }

    func began(slots: Int, isResuming: Bool) {
        logger.info("key rotation begins", metadata: ["slots": "\(slots)", "resuming": "\(isResuming)"])
    }

    /// Logs the rotation's stage, unless it is the stage of the previous call.
    func entered(_ state: RotationProgress) {
        guard state.stage != stage else { return }
        stage = state.stage
        logger.debug(
            "key rotation goes on",
            metadata: [
                "stage": "\(state.stage.rawValue)", "pages_done": "\(state.pagesDone)", "pages": "\(state.pageCount)",
            ])
    }

    func ended(_ report: RotationReport) {
        logger.info(
            "key rotation ended",
            metadata: [
                "pages_resealed": "\(report.pagesResealed)", "pages": "\(report.pageCount)",
                "resumed": "\(report.wasResumed)", "epoch": "\(report.epoch)", "duration_ms": duration,
            ])
    }

    func failed(_ error: SealedFileError) {
        let level: Logger.Level = [.busy, .cancelled, .rotationUnderWay].contains(error.code) ? .warning : .error
        logger.log(
            level: level, "key rotation stopped", metadata: ["code": "\(error.code.rawValue)", "duration_ms": duration])
    }

    private var duration: Logger.MetadataValue {
        "\((ContinuousClock.now - start).milliseconds)"
    }
}
