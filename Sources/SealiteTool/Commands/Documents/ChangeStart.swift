import ArgumentParser
import Dispatch
import SealiteDatabase

/// The value of `--since`, after which changes are listed: a sequence, or `now` for the collection's last sequence.
enum ChangeStart: ExpressibleByArgument {
    case sequence(UInt64)
    case now

    init?(argument: String) {
        if argument == "now" {
            self = .now
        } else if let number = UInt64(argument) {
            self = .sequence(number)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { "0" }

    /// Returns the sequence after which changes are listed.
    func sequence(of collection: Collection) throws -> UInt64 {
        switch self {
        case .sequence(let number): number
        case .now: try collection.lastSequence
        }
    }
}
