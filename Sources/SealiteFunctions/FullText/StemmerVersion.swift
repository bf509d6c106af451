import CStemmer

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
