import SealiteFile

/// A list of findings of a verification, which merges those of adjacent pages, frames or units with the same cause: a
/// torn gigabyte is one finding rather than 262,144.
struct FindingList {
    private(set) var all: [VerificationFinding] = []

    mutating func add(
        _ severity: VerificationFinding.Severity, _ code: SealedFileError.Code, _ part: VerificationFinding.Part,
        _ places: ClosedRange<Int>?, _ reason: String
    ) {
        if let last = all.last, let places, let end = last.last, let start = last.first, end + 1 == places.lowerBound,
            last.severity == severity, last.code == code, last.part == part, last.reason == reason
        {
            all[all.count - 1] = VerificationFinding(
                severity: severity, code: code, part: part, first: start, last: places.upperBound, reason: reason)
            return
        }
        all.append(
            VerificationFinding(
                severity: severity, code: code, part: part, first: places?.lowerBound, last: places?.upperBound,
                reason: reason))
    }

    mutating func add(contentsOf other: FindingList) { all += other.all }
}
