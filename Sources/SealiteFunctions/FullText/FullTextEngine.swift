import CSQLite
import CStemmer

/// The tokenizer `sealite` and the functions `query_hits`, `query_rank`, `query_snippet` and `query_highlight`, which
/// are registered with FTS5.
enum FullTextEngine {
    /// The name under which the tokenizer is registered with FTS5.
    static let tokenizerName = "sealite"

    /// Registers the tokenizer and the functions with FTS5 on one open SQLite connection, on its thread. Without FTS5
    /// this does nothing. The functions charge their work to the connection's.
    ///
    /// - Returns: a result code of SQLite. https://sqlite.org/fts5.html#extending_fts5
    static func register(on connection: OpaquePointer, _ records: FunctionRecords) -> CInt {
        guard let api = unsafe api(of: connection) else { return SQLITE_OK }
        var methods = fts5_tokenizer()
        unsafe methods.xCreate = createTokenizer
        unsafe methods.xDelete = deleteTokenizer
        unsafe methods.xTokenize = tokenize
        let code = unsafe api.pointee.xCreateTokenizer(api, tokenizerName, nil, &methods, nil)
        guard code == SQLITE_OK else { return code }
        let functions: [(StaticString, fts5_extension_function)] = unsafe [
            ("query_hits", giveHits), ("query_rank", giveRank), ("query_snippet", giveSnippet),
            ("query_highlight", giveHighlight),
        ]
        for index in unsafe functions.indices {
            let (name, function) = unsafe functions[index]
            let code = unsafe name.utf8Start.withMemoryRebound(
                to: CChar.self, capacity: name.utf8CodeUnitCount + 1
            ) { unsafe api.pointee.xCreateFunction(api, $0, records.work, function, nil) }
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }

    private static func api(of connection: OpaquePointer) -> UnsafeMutablePointer<fts5_api>? {
        var statement: OpaquePointer?
        defer { unsafe sqlite3_finalize(statement) }
        guard unsafe sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, nil) == SQLITE_OK else {
            // The connection keeps the error of the statement, for which SQLite would refuse to open it. A statement that
            // is compiled removes it.
            unsafe sqlite3_prepare_v2(connection, "SELECT 1", -1, &statement, nil)
            return nil
        }
        var api: UnsafeMutablePointer<fts5_api>?
        unsafe withUnsafeMutablePointer(to: &api) { place in
            _ = unsafe sqlite3_bind_pointer(statement, 1, place, "fts5_api_ptr", nil)
            _ = unsafe sqlite3_step(statement)
        }
        guard let found = unsafe api, unsafe found.pointee.iVersion >= 2 else { return nil }
        return unsafe found
    }
}

private func createTokenizer(
    _ data: UnsafeMutableRawPointer?, _ arguments: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ count: CInt,
    _ tokenizer: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
    var texts: [String] = []
    for index in 0..<Int(count) {
        guard let argument = unsafe arguments?[index] else { return SQLITE_ERROR }
        texts.append(unsafe String(cString: argument))
    }
    do {
        let made = WordTokenizer(try WordSettings(arguments: texts))
        guard !made.lacksStemmer else { return SQLITE_NOMEM }
        // Released in deleteTokenizer.
        unsafe tokenizer?.pointee = OpaquePointer(Unmanaged.passRetained(made).toOpaque())
        return SQLITE_OK
    } catch {
        // FTS5's own message can't contain a reason.
        unsafe sealite_log(SQLITE_ERROR, "sealite: invalid arguments of the FTS5 tokenizer 'sealite': \(error.reason)")
        return SQLITE_ERROR
    }
}

private func deleteTokenizer(_ tokenizer: OpaquePointer?) {
    if let tokenizer = unsafe tokenizer {
        unsafe Unmanaged<WordTokenizer>.fromOpaque(UnsafeRawPointer(tokenizer)).release()
    }
}

private func tokenize(
    _ tokenizer: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ flags: CInt, _ text: UnsafePointer<CChar>?,
    _ byteCount: CInt,
    _ give: (@convention(c) (UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>?, CInt, CInt, CInt) -> CInt)?
) -> CInt {
    guard let tokenizer = unsafe tokenizer, let give = unsafe give else { return SQLITE_MISUSE }
    guard let text = unsafe text, byteCount > 0 else { return SQLITE_OK }
    let words = unsafe Unmanaged<WordTokenizer>.fromOpaque(UnsafeRawPointer(tokenizer)).takeUnretainedValue()
    let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(byteCount)).assumingMemoryBound(to: UInt8.self)
    var purpose: WordTokenizer.Purpose = []
    if flags & FTS5_TOKENIZE_DOCUMENT != 0 { purpose = .document }
    if flags & FTS5_TOKENIZE_PREFIX != 0 { purpose = .prefix }
    var code = SQLITE_OK
    unsafe words.forEachWord(in: bytes, purpose) { word in
        let (start, end) = (CInt(word.range.lowerBound), CInt(word.range.upperBound))
        func hand(_ token: UnsafeBufferPointer<UInt8>, _ flags: CInt) {
            unsafe token.withMemoryRebound(to: CChar.self) {
                code = unsafe give(context, flags, $0.baseAddress, CInt($0.count), start, end)
            }
        }
        unsafe hand(word.token, 0)
        if code == SQLITE_OK, unsafe !word.word.isEmpty { unsafe hand(word.word, FTS5_TOKEN_COLOCATED) }
        return code == SQLITE_OK
    }
    return code
}

/// The version of the linked library of stemmers, which itself provides none: a hash of their results for fixed words.
enum StemmerVersion {
    private static let words = [
        "running", "generously", "universities", "happiness", "skies", "dying", "communism", "national", "häuser",
        "katzen", "auffassungen", "continuellement", "majestés", "finissons", "cheveux", "paralelamente", "niñas",
        "abbandonata", "propagandistico", "boekenkasten", "lichamelijkheid", "edeltäjiään", "kaupungissa",
        "megszentségteleníthetetlenségeskedéseitekért", "házakban", "undervisningen", "jaktkarlarna", "viljefeste",
        "în", "copiilor", "важнейшими", "прекрасными", "kitaplarımızdan", "yapılacaktı", "ἀνθρώπων", "ανθρώπων",
        "الكتابات", "مدرسة", "लड़कियाँ", "berjalanan", "péinteáilte", "žodžiais", "लेखकहरू", "књигама", "மரங்கள்",
        "etxeetan", "casetes", "քաղաքներից", "ביכער",
    ]

    static let number: Int = {
        var hash: UInt32 = 2_166_136_261
        func add(_ byte: UInt8) { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        for name in WordSettings.algorithms.sorted() {
            for byte in name.utf8 { add(byte) }
            guard let stemmer = unsafe sb_stemmer_new(name, nil) else { continue }
            for word in words {
                var word = word
                word.withUTF8 { text in
                    guard let stem = unsafe sb_stemmer_stem(stemmer, text.baseAddress, CInt(text.count)) else { return }
                    for index in 0..<Int(unsafe sb_stemmer_length(stemmer)) { add(unsafe stem[index]) }
                }
                add(0)
            }
            unsafe sb_stemmer_delete(stemmer)
        }
        return Int(hash & 0x7FFF_FFFF)
    }()
}
