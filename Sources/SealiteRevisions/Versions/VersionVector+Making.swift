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
