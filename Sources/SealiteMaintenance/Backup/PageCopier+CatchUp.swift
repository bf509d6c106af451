import CSQLite
import SealiteFile

extension PageCopier {
    /// The maximum number of passes without a lock.
    private static let passLimit = 8
    /// The number of copied pages at or below which a pass is the last without a lock. The remaining pages are then
    /// copied under a read lock.
    private static let fewPages = 64

    /// Copies a database in rollback-journal mode, and returns true. Returns false if the database has been switched to
    /// WAL mode meanwhile; the copy is then incomplete.
    mutating func copyCatchingUp() throws(SealedFileError) -> Bool {
        let pass = try CatchUpPass(into: destination)
        for number in 0..<Self.passLimit {
            try run(pass, pageCount: try filePageCount(), isLocked: false)
            if number > 0, pass.copiedCount > 0 { catchUpCount += 1 }
            if number > 0, pass.copiedCount <= Self.fewPages { break }
        }
        try hold()
        guard try !isWAL() else { return false }
        try run(pass, pageCount: Int(try source.integer("PRAGMA page_count")), isLocked: true)
        try pass.end()
        return true
    }

    private mutating func run(_ pass: CatchUpPass, pageCount: Int, isLocked: Bool) throws(SealedFileError) {
        pass.begin(pageCount: pageCount)
        self.pageCount = pageCount
        for first in stride(from: 0, to: pageCount, by: CatchUpPass.pagesPerStep) {
            let step = FileTask { (file, source) throws(SealedFileError) in
                try pass.copy(from: first, isLocked: isLocked, file: file, source: source)
            }
            try source.perform(step)
            try tell(first + CatchUpPass.pagesPerStep)
        }
    }

    private func filePageCount() throws(SealedFileError) -> Int {
        var count = 0
        let look = FileTask { (file, source) throws(SealedFileError) in
            count = try SealedFileError.mapping { () throws(VFSFailure) in
                Int(try file.size() / Int64(source.pageSize))
            }
        }
        try source.perform(look)
        return count
    }
}
