internal import ArgumentParser
internal import SealiteDatabase
import SealiteFile

/// The auto-vacuum modes as arguments.
enum AutoVacuumChoice: String, ExpressibleByArgument, CaseIterable {
    case none
    case full
    case incremental

    var mode: AutoVacuum {
        switch self {
        case .none: .none
        case .full: .full
        case .incremental: .incremental
        }
    }
}
