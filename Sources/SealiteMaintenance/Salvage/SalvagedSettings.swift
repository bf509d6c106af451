import SealiteFile

/// The settings of a damaged database, from its page 1; SQLite's defaults if that page is lost.
/// https://sqlite.org/fileformat2.html#the_database_header
struct SalvagedSettings {
    var encoding = TextEncoding.utf8
    var autoVacuum = AutoVacuum.none
    var userVersion: Int32 = 0
    var applicationID: Int32 = 0
    var isWAL = false
    /// A Boolean value that says whether page 1 could be read.
    var isKnown = false

    init(_ pages: SalvagePages) {
        guard let pageOne = pages.text(1) else { return }
        encoding = TextEncoding(rawValue: pageOne.bigEndian32(at: 56)) ?? .utf8
        if pageOne.bigEndian32(at: 52) != 0 {
            autoVacuum = pageOne.bigEndian32(at: 64) != 0 ? .incremental : .full
        }
        userVersion = Int32(bitPattern: pageOne.bigEndian32(at: 60))
        applicationID = Int32(bitPattern: pageOne.bigEndian32(at: 68))
        isWAL = pageOne[18] == 2
        isKnown = true
    }
}
