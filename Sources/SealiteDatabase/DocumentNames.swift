/// `Database` under a name that GRDB, SwiftNIO and an application's own types don't have.
public typealias DocumentDatabase = Database

/// `DatabaseError` under a name that GRDB doesn't have.
public typealias DocumentDatabaseError = DatabaseError

/// `Collection` under a name that the standard library doesn't have.
public typealias DocumentCollection = Collection
