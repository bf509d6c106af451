import SealiteCrypto
import SealiteDatabase
import SealiteFile

/// Changes documents of the default collection at random, in `count` commits: about a hundred of them, whose `n` is below 100 and whose ids begin with `who`.
func changeDocuments(_ path: String, key: consuming SecretBytes, _ count: Int, _ who: String) throws {
    let database = try Database.open(path, key: .rawKey(key))
    let collection = try database.defaultCollection()
    for _ in 0..<count {
        let id = "\(who)\(Int.random(in: 0..<100))"
        switch Int.random(in: 0..<10) {
        case 0: try? collection.delete(id: id)
        case 1: try? collection.purge(id: id)
        default:
            let properties: DictionaryObject = ["n": Value(Int.random(in: 0..<100)), "who": .string(who)]
            try collection.save(document: MutableDocument(id: id, data: properties))
        }
    }
    try database.close()
}
