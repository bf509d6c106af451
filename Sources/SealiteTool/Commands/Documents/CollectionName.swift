import ArgumentParser
import SealiteDatabase
import SealiteFile
import SealiteModel

/// A collection's name on the command line: `notes`, or `work.notes` for the scope `work`. Names contain no dots.
struct CollectionName: ExpressibleByArgument, CustomStringConvertible {
    let scope: String
    let name: String

    static let standard = CollectionName(scope: Database.defaultScopeName, name: Database.defaultCollectionName)

    /// Returns the collection that has this name.
    ///
    /// - Throws: an error if there is no such collection.
    func find(in database: Database) throws -> Collection {
        guard let found = try database.collection(name: name, scope: scope) else {
            throw ToolError(
                .noInput, code: "no-such-collection", "there is no collection \"\(self)\"",
                hint: "'sealite collection list' shows those there are, 'sealite collection create' makes one")
        }
        return found
    }

    init(scope: String, name: String) {
        (self.scope, self.name) = (scope, name)
    }

    init?(argument: String) {
        // As in queries.
        let argument = argument == "_" ? Database.defaultCollectionName : argument
        let parts = argument.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        switch parts.count {
        case 1: self.init(scope: Database.defaultScopeName, name: parts[0])
        case 2: self.init(scope: parts[0], name: parts[1])
        default: return nil
        }
    }

    var description: String { scope == Database.defaultScopeName ? name : "\(scope).\(name)" }
    var defaultValueDescription: String { description }
}
