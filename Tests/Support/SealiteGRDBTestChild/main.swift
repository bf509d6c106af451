// A program that uses GRDB on a sealed file, and nothing else of Sealite: tests look at what it links and at what it can't do.
// Usage: SealiteGRDBTestChild FILE SQL. Runs the statement on a sealed file that the raw key of 32 bytes 7 opens, and prints the first
// value of each row, or what failed, with the exit code 1.

import Foundation
import GRDB
import SealiteGRDB

func run(_ file: String, _ statement: String) throws {
    let key = [UInt8](repeating: 7, count: 32)
    let database = try SealedDatabase.open(file, key: .rawKey(unsafe SecretBytes(copying: key.span.bytes)))
    let queue = try database.makeQueue()
    do {
        for value in try queue.write({ try DatabaseValue.fetchAll($0, sql: statement) }) { print(value) }
    } catch let error as DatabaseError {
        throw SealedDatabase.failure(reportedAs: error.message ?? "") ?? error
    }
}

do {
    try run(CommandLine.arguments[1], CommandLine.arguments[2])
} catch {
    print(error)
    exit(1)
}
