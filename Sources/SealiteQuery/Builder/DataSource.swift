internal import SealiteQueryLanguage
public import SealiteDatabase

/// Factory methods of the query builder for data sources, from which a query reads documents.
public enum DataSource {
    /// Returns a collection as a data source, which has the collection's name as its alias.
    public static func collection(_ collection: SealiteDatabase.Collection) -> any DataSourceAs {
        Built(collection: collection, alias: nil)
    }

    struct Built: DataSourceAs {
        let collection: SealiteDatabase.Collection
        let alias: String?

        func `as`(_ alias: String) -> any DataSourceProtocol { Built(collection: collection, alias: alias) }

        var tree: Tree.Source {
            .collection(
                CollectionName(scope: collection.scopeName, collection.name), alias: alias ?? collection.name)
        }
    }
}
