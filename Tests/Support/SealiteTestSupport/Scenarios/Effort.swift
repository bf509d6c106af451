internal import Foundation

/// The amount of work of the runners: short for every build, or with `SEALITE_SOAK=1` long enough for a night.
package enum Effort: Sendable {
    /// For scenarios that other tests have run in full under another setting.
    case brief
    case test, soak

    package static let current: Effort = ProcessInfo.processInfo.environment["SEALITE_SOAK"] == nil ? .test : .soak

    /// The power losses that a scenario goes through, at least.
    package var runsPerScenario: Int {
        switch self {
        case .brief: 20
        case .test: 60
        case .soak: 5_000
        }
    }
}
