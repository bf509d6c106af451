struct BuiltIndex: Index {
    let config: ValueIndexConfiguration
}
