import CSQLite
import Glibc
import SealiteCrypto
import SealiteFile
import SealiteMaintenance

/// A backup against SQLite's own of a plain database of the same content, plus what sealing and opening each page takes. The check
/// of what was written comes on top, and is shown apart: SQLite's own backup does none.
@MainActor
func measureBackup(_ database: SealedDatabase, mode: String, table: inout Table) throws {
    let plain = folder + "/plain.db"
    let copy = folder + "/copy.db"
    remove(plain)
    run("file:\(plain)", "PRAGMA journal_mode=\(mode); PRAGMA synchronous=OFF; " + fill)
    sync()
    var (copying, whole, ours): ([Double], [Double], [Double]) = ([], [], [])
    var passes = 0.0
    for _ in 0..<rounds {
        remove(copy)
        ours.append(seconds { plainBackup(plain, to: copy) })
        remove(copy)
        let start = ContinuousClock.now
        var end = start
        let report = try database.backup(to: copy) { progress in
            if progress.phase == .copying { end = .now }
            return true
        }
        whole.append((ContinuousClock.now - start) / .seconds(1))
        copying.append((end - start) / .seconds(1))
        passes = try twoPasses(pageCount: report.pageCount)
    }
    remove(copy)
    remove(plain)
    table.row("sqlite3_backup of a plain database", median(ours), "s")
    table.row("sealing and opening every page", passes, "s")
    table.row("backup, copying", median(copying), "s", atMost: (median(ours) + passes) / 0.8)
    table.row("backup with its check", median(whole), "s")
}

/// As the library's: 1024 pages a step, no journal and no sync for the copy, then one fsync.
private func plainBackup(_ source: String, to destination: String) {
    var (from, to): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    unsafe sqlite3_open(source, &from)
    unsafe sqlite3_open(destination, &to)
    unsafe sqlite3_exec(
        to, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE", nil, nil, nil)
    let backup = unsafe sqlite3_backup_init(to, "main", from, "main")
    while unsafe sqlite3_backup_step(backup, 1024) == SQLITE_OK {}
    precondition(unsafe sqlite3_backup_finish(backup) == SQLITE_OK)
    unsafe sqlite3_close_v2(from)
    unsafe sqlite3_close_v2(to)
}

/// Sealing one page after another and opening it again, in memory: what a sealed backup can't do without.
private func twoPasses(pageCount: Int) throws -> Double {
    let cipher = try XAESCipher(key: .random(byteCount: 32))
    let byteCount = 4096 - 48
    let pageBuffer = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 64)
    let sealed = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 64)
    let binding = UnsafeMutableRawBufferPointer.allocate(byteCount: 32, alignment: 64)
    defer {
        unsafe pageBuffer.deallocate()
        unsafe sealed.deallocate()
        unsafe binding.deallocate()
    }
    unsafe pageBuffer.initializeMemory(as: UInt8.self, repeating: 7, count: 4096)
    unsafe binding.initializeMemory(as: UInt8.self, repeating: 1)
    let associated = UnsafeRawBufferPointer(binding)
    let nonce = unsafe sealed + byteCount
    let tag = unsafe nonce + 24
    unsafe nonce.initializeMemory(as: UInt8.self, repeating: 3, count: 24)
    return try seconds {
        for number in 0..<pageCount {
            // Nonces as pages have them: a part that stays for a while, and a number.
            unsafe nonce.storeBytes(of: UInt32(truncatingIfNeeded: number), toByteOffset: 20, as: UInt32.self)
            try unsafe cipher.seal(
                pageBuffer, byteCount: byteCount, associatedData: associated, nonce: nonce, into: sealed, tag: tag)
            let isOpen = try unsafe cipher.open(
                sealed, byteCount: byteCount, associatedData: associated, nonce: nonce, tag: tag, into: pageBuffer)
            precondition(isOpen)
        }
    }
}
