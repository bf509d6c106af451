import SealiteFile

/// A list of findings of a verification, which merges those of adjacent pages, frames or units with the same cause: a
/// torn gigabyte is one finding rather than 262,144.
struct FindingList {
    /// A finding, with its reason in the singular and the plural.
    private struct Entry {
        var finding: VerificationFinding
        let one: String
        let several: String
    }

    private var entries: [Entry] = []
    var all: [VerificationFinding] { entries.map(\.finding) }

    /// Adds a finding. `reason` continues a sentence about one page, frame or unit, and `several` one about more than
    /// one; nil if `reason` fits both.
    mutating func add(
        _ severity: VerificationFinding.Severity, _ code: SealedFileError.Code, _ part: VerificationFinding.Part,
        _ places: ClosedRange<Int>?, _ reason: String, several: String? = nil
    ) {
        let several = several ?? reason
        if let entry = entries.last, let places, let end = entry.finding.last, let start = entry.finding.first,
            end + 1 == places.lowerBound, entry.finding.severity == severity, entry.finding.code == code,
            entry.finding.part == part, entry.one == reason
        {
            entries[entries.count - 1].finding = VerificationFinding(
                severity: severity, code: code, part: part, first: start, last: places.upperBound, reason: several)
            return
        }
        let finding = VerificationFinding(
            severity: severity, code: code, part: part, first: places?.lowerBound, last: places?.upperBound,
            reason: places?.count ?? 1 > 1 ? several : reason)
        entries.append(Entry(finding: finding, one: reason, several: several))
    }

    mutating func add(contentsOf other: FindingList) { entries += other.entries }
}
