internal import SealiteJSON

// Documentation/DocumentFormat.md §4.3.
extension VersionHistory {
    /// Appends the history in the form in which the database stores it, without the current version or revision, which
    /// a document's row has in a column of its own.
    package func appendStored(to bytes: inout [UInt8]) {
        for versions in [vector?.merged ?? [], vector?.previous ?? []] {
            Varint.append(UInt64(versions.count), to: &bytes)
            for version in versions { version.appendStored(to: &bytes) }
        }
        let ids = revisions.dropFirst(vector == nil ? 1 : 0)
        Varint.append(UInt64(ids.count), to: &bytes)
        for id in ids {
            let stored = id.stored
            // One byte is enough for the length: an id has at most 255 bytes of text, and its stored generation isn't
            // longer than the digits.
            bytes.append(UInt8(truncatingIfNeeded: stored.count))
            bytes += stored
        }
    }

    /// Reads a history in the form in which the database stores it, without the current version or revision, and
    /// advances past it; nil if it is damaged.
    ///
    /// - Parameters:
    ///   - current: the current version or revision, in the form in which a document's row stores it.
    ///   - bytes: the bytes that contain the history.
    ///   - position: the offset of the history; afterwards the offset of its end, undefined if it is damaged.
    package init?(current: [UInt8], stored bytes: borrowing Span<UInt8>, _ position: inout Int) {
        guard let merged = Self.versions(bytes, &position), let previous = Self.versions(bytes, &position),
            merged.count != 1, let ids = Self.revisions(bytes, &position)
        else { return nil }
        if let version = SourceVersion(storedCurrent: current) {
            guard let vector = try? VersionVector(current: version, merged: merged, previous: previous) else {
                return nil
            }
            self.init(vector, revisions: ids)
        } else {
            guard merged.isEmpty, previous.isEmpty, let revision = RevisionID(stored: current) else { return nil }
            self.init(revision, ancestors: ids)
        }
    }

    private static func versions(_ bytes: borrowing Span<UInt8>, _ position: inout Int) -> [SourceVersion]? {
        guard let count = Varint.read(bytes, &position, limit: bytes.count),
            count < UInt64(VersionVector.maximumReadCount)
        else { return nil }
        var versions: [SourceVersion] = []
        for _ in 0..<count {
            guard let version = SourceVersion(stored: bytes, from: position) else { return nil }
            versions.append(version)
            position += SourceVersion.storedByteCount
        }
        return versions
    }

    private static func revisions(_ bytes: borrowing Span<UInt8>, _ position: inout Int) -> [RevisionID]? {
        guard let count = Varint.read(bytes, &position, limit: bytes.count),
            count < UInt64(VersionVector.maximumReadCount)
        else { return nil }
        var ids: [RevisionID] = []
        for _ in 0..<count {
            guard position < bytes.count else { return nil }
            let end = position + 1 + Int(bytes[position])
            guard end <= bytes.count, let id = RevisionID(stored: bytes, from: position + 1, to: end),
                id.version == nil
            else {
                return nil
            }
            ids.append(id)
            position = end
        }
        return ids
    }
}

extension SourceVersion {
    /// The first byte of a version in the column of a document's row that has the current revision. For a revision of a
    /// tree this byte would mean generation 0, which no revision has.
    private static let mark: UInt8 = 1

    /// Reads a version in the form in which a document's row stores its current revision; nil if the bytes are damaged,
    /// or are a revision of a tree.
    package init?(storedCurrent bytes: [UInt8]) {
        self.init(storedCurrent: bytes.span, from: 0, to: bytes.count)
    }

    /// Reads a version, in the form in which a document's row stores its current revision, from the bytes from `start`
    /// up to `end`; nil if they are damaged, or are a revision of a tree.
    init?(storedCurrent bytes: borrowing Span<UInt8>, from start: Int, to end: Int) {
        guard end - start == 1 + Self.storedByteCount, bytes[start] == Self.mark else { return nil }
        self.init(stored: bytes, from: start + 1)
    }

    /// Appends the version in the form in which a document's row stores its current revision.
    func appendStoredCurrent(to bytes: inout [UInt8]) {
        bytes.append(Self.mark)
        appendStored(to: &bytes)
    }

    /// The version in the form in which a document's row stores its current revision.
    package var storedCurrent: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1 + Self.storedByteCount)
        appendStoredCurrent(to: &bytes)
        return bytes
    }
}
