public import Logging
public import SealiteFile

// Rotation with a log. The module of sealed files has none: it is a part of the loadable extension, which lives in
// other programs.
extension KeyRotation {
    /// Rotates as ``run(busyTimeout:progress:)`` does, and logs it: beginning and end with their numbers at level
    /// `info`, the stages at `debug`, what keeps it from its end at `warning` if another try goes on, else at `error`.
    /// No line names the file, a slot's label or a secret.
    ///
    /// - Parameters:
    ///   - logger: where it is logged.
    ///   - busyTimeout: how long in milliseconds to wait for a lock that others hold.
    ///   - progress: called after each batch; `.stop` leaves the rotation to be carried on later.
    /// - Returns: what was done.
    /// - Throws: the errors of ``run(busyTimeout:progress:)``.
    public func run(
        loggingTo logger: Logger, busyTimeout: Int32 = 60_000,
        progress: (RotationProgress) -> Control = { _ in .proceed }
    ) throws(SealedFileError) -> RotationReport {
        try logged(to: logger) { (log) throws(SealedFileError) in
            try run(busyTimeout: busyTimeout) { state in
                log.entered(state)
                return progress(state)
            }
        }
    }

    /// Finishes an interrupted rotation as ``finish(busyTimeout:progress:)`` does, and logs it as
    /// ``run(loggingTo:busyTimeout:progress:)`` does.
    ///
    /// - Parameters:
    ///   - logger: where it is logged.
    ///   - busyTimeout: how long in milliseconds to wait for a lock that others hold.
    ///   - progress: called after each batch; `.stop` leaves the rotation to be carried on later.
    /// - Returns: what was done.
    /// - Throws: what ``finish(busyTimeout:progress:)`` throws.
    public func finish(
        loggingTo logger: Logger, busyTimeout: Int32 = 60_000,
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

/// The lines of one rotation.
private final class RotationLog {
    private let logger: Logger
    private let start = ContinuousClock.now
    private var stage: RotationProgress.Stage?

    init(_ logger: Logger) { self.logger = logger }

    func began(slots: Int, isResuming: Bool) {
        logger.info("key rotation begins", metadata: ["slots": "\(slots)", "resuming": "\(isResuming)"])
    }

    /// Notes how far the rotation is: one line for each stage.
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
        guard !report.warnings.isEmpty else { return }
        logger.warning(
            "slots that don't prove who made the file were carried over",
            metadata: ["count": "\(report.warnings.count)"])
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
