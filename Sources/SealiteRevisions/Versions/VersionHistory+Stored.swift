internal import SealiteJSON

// Documentation/DocumentFormat.md §4.3.
extension VersionHistory {
    /// Appends the stored form of the history except its current version or revision, which a document's row stores in
    /// a column of its own.
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

    /// Reads the stored form of a history without its current version or revision, and advances past it; nil if it is
    /// damaged.
    ///
    /// - Parameters:
    ///   - current: the stored form of the current version or revision.
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
    /// The first byte of a version in the column of a document's row for its current revision. For a revision of a tree
    /// this byte would mean generation 0, which no revision has, with its text.
    private static let mark: UInt8 = 1

    /// Reads the current version in a document's row; nil if the bytes are damaged or are a tree revision.
    package init?(storedCurrent bytes: [UInt8]) {
        self.init(storedCurrent: bytes.span, from: 0, to: bytes.count)
    }

    /// Creates a history from the bytes of the current version in a document's row; nil if the bytes are damaged, or
    /// are a revision of a tree.
    init?(storedCurrent bytes: borrowing Span<UInt8>, from start: Int, to end: Int) {
        guard end - start == 1 + Self.storedByteCount, bytes[start] == Self.mark else { return nil }
        self.init(stored: bytes, from: start + 1)
    }

    /// Appends the history in the form in which a document's row stores its current version.
    func appendStoredCurrent(to bytes: inout [UInt8]) {
        bytes.append(Self.mark)
        appendStored(to: &bytes)
    }

    /// The history in the form in which a document's row stores its current version.
    package var storedCurrent: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1 + Self.storedByteCount)
        appendStoredCurrent(to: &bytes)
        return bytes
    }
}
