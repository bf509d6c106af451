/// A document's current version, and the latest known version of every other source that wrote it.
///
/// Each source has at most one version in a vector, except that an older version of the current version's source may be
/// among the merged versions. The lists are in descending order, so that vectors of the same versions are equal.
package struct VersionVector: Sendable, Hashable {
    /// The maximum number of versions in a vector that is read.
    package static let maximumReadCount = 1_024
    /// The maximum number of previous versions in a vector that is created.
    package static let maximumPreviousCount = 50
    /// The maximum number of merged versions in a vector that is created.
    package static let maximumMergedCount = 8

    /// The version that the document has now.
    package let current: SourceVersion
    /// The versions that the current one was merged from: none, or at least two.
    package let merged: [SourceVersion]
    /// The latest known version of each source that wrote the document and isn't the source of the current or of a
    /// merged version.
    package let previous: [SourceVersion]

    /// Creates the vector of a document that only one source has written.
    package init(_ current: SourceVersion) {
        (self.current, merged, previous) = (current, [], [])
    }

    /// Creates a vector from its parts. A single merged version counts as a previous one.
    ///
    /// - Throws: `duplicateSource`; `tooLong` if the vector would have more than `maximumReadCount` versions.
    package init(
        current: SourceVersion, merged: [SourceVersion], previous: [SourceVersion]
    ) throws(VersionError) {
        guard merged.count + previous.count < Self.maximumReadCount else { throw .tooLong }
        let isMerge = merged.count > 1
        try Self.check(current, merged: isMerge ? merged : [], previous: isMerge ? previous : previous + merged)
        self.init(current, sorting: merged, previous)
    }

    /// Creates a vector from parts in any order, in which no source has two versions, except that `merged` may have an
    /// older version of the current one's source. A single merged version counts as a previous one.
    init(_ current: SourceVersion, sorting merged: [SourceVersion], _ previous: [SourceVersion]) {
        self.current = current
        let isMerge = merged.count > 1
        self.merged = isMerge ? merged.sorted(by: >) : []
        self.previous = (isMerge ? previous : previous + merged).sorted(by: >)
    }

    private static func check(
        _ current: SourceVersion, merged: [SourceVersion], previous: [SourceVersion]
    ) throws(VersionError) {
        var sources: Set<SourceID> = []
        for version in merged where !sources.insert(version.source).inserted { throw .duplicateSource }
        if let own = merged.first(where: { $0.source == current.source }) {
            guard own.time < current.time else { throw .duplicateSource }
        }
        sources.insert(current.source)
        for version in previous where !sources.insert(version.source).inserted { throw .duplicateSource }
    }

    /// All versions of the vector: the current one, the merged ones, then the previous ones.
    package var versions: [SourceVersion] { [current] + merged + previous }

    /// The latest time of a version, except those of the source `revisionTrees`, whose numbers aren't times; nil if there
    /// is no other version.
    package var latestTime: HybridTime? {
        var latest = current.source == .revisionTrees ? nil : current.time
        for list in [merged, previous] {
            for version in list where version.source != .revisionTrees {
                latest = max(latest ?? version.time, version.time)
            }
        }
        return latest
    }

    /// Returns the time of the latest known version of a source; nil if there is none.
    package func time(of source: SourceID) -> HybridTime? {
        if current.source == source { return current.time }
        return (merged.first { $0.source == source } ?? previous.first { $0.source == source })?.time
    }

    /// Returns whether the vector's state has a version as its current version, or descends from it.
    ///
    /// For a version of the source `revisionTrees` only an equal time counts, since these times have no order.
    package func knows(_ version: SourceVersion) -> Bool {
        guard let time = time(of: version.source) else { return false }
        return version.source == .revisionTrees ? time == version.time : time >= version.time
    }

    /// Returns the relation of the vector's state to another's. If each vector includes the other's current version,
    /// both sides resolved a conflict, with different results, and the states conflict.
    package func order(to other: VersionVector) -> VersionOrder {
        if current == other.current { return .same }
        switch (knows(other.current), other.knows(current)) {
        case (true, false): return .newer
        case (false, true): return .older
        default: return .conflicting
        }
    }

    /// Returns whether both vectors were merged from the same versions: if the bodies are equal too, both sides made
    /// the same merge independently.
    package func isSameMerge(as other: VersionVector) -> Bool { !merged.isEmpty && merged == other.merged }

    /// Returns whether the vectors have a version in common.
    package func sharesVersion(with other: VersionVector) -> Bool {
        let versions = Set(versions)
        return other.versions.contains { versions.contains($0) }
    }
}

// The vectors that changes, merges and resolutions produce. For the versions that are removed from a vector that is too
// long, see Documentation/DocumentFormat.md §4.3.
extension VersionVector {
    /// Returns the vector after a change that writes `version`.
    ///
    /// - Precondition: `version` is later than the vector's version of the same source.
    package func changed(to version: SourceVersion) -> VersionVector {
        var known = Knowledge(versions)
        known.remove(version.source)
        return VersionVector(version, sorting: [], known.versions).bounded()
    }

    /// Returns the vector of this state under a new current version, without the versions of a source that are later than
    /// `time`; nil for all of the source's. The merged versions become previous ones.
    ///
    /// - Precondition: the source of `version` is none of this vector's.
    package func renewed(as version: SourceVersion, without source: SourceID, after time: HybridTime?) -> VersionVector
    {
        var known = Knowledge(versions)
        let latest = known.remove(source)
        if let time, let latest { known.add([SourceVersion(time: min(time, latest.time), source: source)]) }
        return VersionVector(version, sorting: [], known.versions).bounded()
    }

    /// Returns the vector of a new state that is merged from this vector's and another's, and that writes `version`.
    ///
    /// - Precondition: `version` is later than either vector's version of the same source.
    package func merged(with other: VersionVector, to version: SourceVersion) -> VersionVector {
        let heads = Knowledge([current, other.current])
        var rest = Knowledge(versions)
        rest.add(other.versions)
        var merged: [SourceVersion] = []
        for head in heads.versions {
            // Each vector may know a later version of the other's current source than the other's current version.
            let latest = rest.remove(head.source) ?? head
            merged.append(latest.source == version.source ? head : latest)
        }
        rest.remove(version.source)
        if merged.count < 2 { merged.removeAll { $0.source == version.source } }
        return VersionVector(version, sorting: merged, rest.versions).bounded()
    }

    /// Returns the vector of this state after it was chosen over another one, whose versions it then includes.
    ///
    /// If the other vector includes this version already, the two states still conflict, and only `merged(with:to:)`
    /// ends that.
    ///
    /// - Returns: the vector; nil if the other vector includes a later version of the current source.
    package func absorbing(_ other: VersionVector) -> VersionVector? {
        if let time = other.time(of: current.source), time > current.time { return nil }
        var known = Knowledge(versions)
        known.add(other.versions)
        let kept = merged.filter { version in
            version.source == current.source || known.time(of: version.source) == version.time
        }
        known.remove(current.source)
        if kept.count > 1 {
            for version in kept { known.remove(version.source) }
            return VersionVector(current, sorting: kept, known.versions).bounded()
        }
        return VersionVector(current, sorting: [], known.versions).bounded()
    }

    /// Returns the vector with at most `maximumMergedCount` merged and `previousCount` previous versions. The earliest
    /// merged versions above the limit become previous ones, and the earliest previous versions above theirs are
    /// removed. A vector that lacks versions may be treated as conflicting with an ancestor, but a conflicting state is
    /// never treated as an ancestor.
    package func bounded(previousCount: Int = maximumPreviousCount) -> VersionVector {
        guard merged.count > Self.maximumMergedCount || previous.count > previousCount else { return self }
        let kept = Array(merged.prefix(Self.maximumMergedCount))
        let demoted = merged.dropFirst(Self.maximumMergedCount).filter { $0.source != current.source }
        let rest = (previous + demoted).sorted(by: >)
        return VersionVector(current, sorting: kept, Array(rest.prefix(previousCount)))
    }
}

/// The latest version of each source among the versions that were added.
private struct Knowledge {
    private var times: [SourceID: HybridTime] = [:]

    init(_ versions: [SourceVersion]) { add(versions) }

    mutating func add(_ versions: [SourceVersion]) {
        for version in versions { times[version.source] = max(times[version.source] ?? version.time, version.time) }
    }

    func time(of source: SourceID) -> HybridTime? { times[source] }

    /// Removes and returns the latest version of a source; nil if there is none.
    @discardableResult
    mutating func remove(_ source: SourceID) -> SourceVersion? {
        times.removeValue(forKey: source).map { SourceVersion(time: $0, source: source) }
    }

    var versions: [SourceVersion] { times.map { SourceVersion(time: $1, source: $0) } }
}
