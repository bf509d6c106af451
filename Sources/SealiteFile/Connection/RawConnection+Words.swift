import CSQLite

extension RawConnection {
    /// SQLite's keywords in upper case. https://sqlite.org/c3ref/keyword_check.html
    package static var keywords: [String] {
        (0..<sqlite3_keyword_count()).compactMap { index in
            var word: UnsafePointer<CChar>?
            var length: CInt = 0
            let code = unsafe sqlite3_keyword_name(index, &word, &length)
            guard code == SQLITE_OK, let word = unsafe word else { return nil }
            // The word isn't NUL-terminated.
            return unsafe String(decoding: UnsafeRawBufferPointer(start: word, count: Int(length)), as: UTF8.self)
        }
    }
}
