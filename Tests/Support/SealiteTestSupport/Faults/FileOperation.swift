/// One call that reached a test file system.
package struct FileOperation: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case open, read, write, truncate, sync, size, delete, access
    }

    package let kind: Kind
    package let file: FileKind
    /// The file's full path; nil for a nameless file.
    package let path: String?
    /// The offset of a read or write, or the new size of a truncated file.
    package let offset: Int64
    package let byteCount: Int
    /// The content of a write.
    package let bytes: [UInt8]
}

/// An order to fail the n-th operation of certain kinds.
package struct Fault: Sendable {
    package enum Style: String, Sendable, CaseIterable {
        /// The operation does nothing and fails with the I/O error of its kind.
        case error
        /// The operation and every later one of the kinds fail: the disk is gone.
        case lasting
        /// A write leaves its first half in the file, then fails with `SQLITE_FULL`, as do all writes after it.
        case full
    }

    package let style: Style
    /// Counted from 1, over the operations of `kinds`.
    package let number: Int
    package let kinds: Set<FileOperation.Kind>
    /// In place of the I/O error of the operation's kind.
    package let code: ResultCode?

    package init(_ style: Style, number: Int, kinds: Set<FileOperation.Kind>? = nil, code: ResultCode? = nil) {
        self.style = style
        self.number = number
        self.kinds = kinds ?? style.kinds
        self.code = code
    }

    func strikes(_ count: Int) -> Bool {
        style == .error ? count == number : count >= number
    }

    func failure(of kind: FileOperation.Kind) -> ResultCode {
        code ?? (style == .full ? .full : kind.failure)
    }
}

extension Fault.Style {
    /// The kinds of operations that the style affects if a fault names none.
    package var kinds: Set<FileOperation.Kind> {
        self == .full ? [.write] : Set(FileOperation.Kind.allCases)
    }
}

extension FileOperation.Kind {
    var failure: ResultCode {
        switch self {
        case .open: .cannotOpen
        case .read: .readFailed
        case .write: .writeFailed
        case .truncate: .truncateFailed
        case .sync: .syncFailed
        case .size: .sizeFailed
        case .delete: .deleteFailed
        case .access: .accessFailed
        }
    }
}
