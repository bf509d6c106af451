// Opens a sealed database as a store of persons, and migrates what an earlier version of the application left.
// Usage: PersonMigration DB KEYFILE 1 FIRST LAST AGE, which saves a person of version 1, or PersonMigration DB KEYFILE 2, which prints those of version 2.

import Foundation
import SealiteDatabase
import SealiteFile
import SealiteModel
import SealiteValues

/// The first version of the application knew a first name and a last name.
struct FirstPerson: Model {
    var id = ObjectID()
    var firstName: String
    var lastName: String
    var age: Int

    static let declaration = ModelDeclaration(name: "Person")
}

/// The second one knows the full name.
struct Person: Model {
    var id = ObjectID()
    var fullName: String
    var age: Int
}

/// Thrown where the arguments aren't as they have to be.
struct Usage: Error, CustomStringConvertible {
    let description = "usage: PersonMigration DB KEYFILE 1 FIRST LAST AGE, or PersonMigration DB KEYFILE 2"
}

func run(_ arguments: [String]) throws {
    guard arguments.count == 7 && arguments[3] == "1" || arguments.count == 4 && arguments[3] == "2" else {
        throw Usage()
    }
    let file = try SealedDatabase.open(arguments[1], key: .rawKey(try SecretFile.path(arguments[2]).rawKey()))
    let database = try DocumentDatabase(file: file)
    if arguments[3] == "1" {
        let store = try ModelStore.open(database, ModelConfiguration(version: 1, types: [FirstPerson.self]))
        guard let age = Int(arguments[6]) else { throw Usage() }
        try store.save(FirstPerson(firstName: arguments[4], lastName: arguments[5], age: age))
    } else {
        let configuration = ModelConfiguration(version: 2, types: [Person.self]) { migration in
            try migration.enumerate("Person") { old, new in
                guard let first = try old?.string("firstName"), let last = try old?.string("lastName") else { return }
                try new?.set("fullName", first + " " + last)
            }
        }
        let store = try ModelStore.open(database, configuration)
        for person in try store.objects(Person.self).sorted("fullName").all() {
            print("\(person.fullName), \(person.age)")
        }
    }
    try database.close()
}

do {
    try run(CommandLine.arguments)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
