import SealiteCrypto
import SealiteDatabase
import SealiteFile

/// Changes documents of the default collection in `count` commits, as the number `chance` decides: about a hundred documents, whose `n`
/// is below 100 and whose ids begin with `who`.
func changeDocuments(
    _ path: String, key: consuming SecretBytes, _ count: Int, _ who: String, chance: UInt64
) throws {
    let database = try Database.open(path, key: .rawKey(key))
    let collection = try database.defaultCollection()
    var state = chance
    func below(_ bound: UInt64) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % bound)
    }
    for _ in 0..<count {
        let id = "\(who)\(below(100))"
        switch below(10) {
        case 0: try? collection.delete(id: id)
        case 1: try? collection.purge(id: id)
        default:
            let properties: DictionaryObject = ["n": Value(below(100)), "who": .string(who)]
            try collection.save(document: MutableDocument(id: id, data: properties))
        }
    }
    try database.close()
}
