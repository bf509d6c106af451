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
