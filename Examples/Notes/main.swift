// A notes program on the command line: notes are documents in a sealed file.
// Usage: Notes DB KEYFILE add TEXT, or Notes DB KEYFILE list [WORD], or Notes DB KEYFILE remove ID. The first use makes the database.

import Foundation
import SealiteDatabase
import SealiteFile
import SealiteQuery

struct Note: Codable, Identifiable {
    var id = UUID().uuidString.lowercased()
    var text: String
    var written = Date()
}

/// Thrown where the arguments aren't as they have to be.
struct Usage: Error, CustomStringConvertible {
    let description = "usage: Notes DB KEYFILE add TEXT | list [WORD] | remove ID"
}

func run(_ arguments: [String]) throws {
    guard arguments.count >= 4 else { throw Usage() }
    let (path, keyFile) = (arguments[1], SecretFile.path(arguments[2]))
    let database =
        DocumentDatabase.exists(at: path)
        ? try DocumentDatabase.open(path, key: .rawKey(try keyFile.rawKey()))
        : try DocumentDatabase.create(path, slot: .rawKey(try keyFile.rawKey()))
    let notes = try database.createCollection(name: "notes")
    switch (arguments[3], arguments.dropFirst(4).first) {
    case ("add", let text?): print("added \(try notes.save(from: Note(text: text)).id)")
    case ("list", let word):
        let query = try database.createQuery(
            "SELECT META().id AS id, text, written FROM notes WHERE text LIKE $word ORDER BY written")
        query.parameters = Parameters().setString("%\(word ?? "")%", forName: "word")
        for note in try query.execute().data(as: Note.self) {
            print("\(note.id)  \(note.text)")
        }
    case ("remove", let id?): try notes.delete(id: id)
    default: throw Usage()
    }
    try database.close()
}

do {
    try run(CommandLine.arguments)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
