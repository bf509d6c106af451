import SealiteCredentials
import SealiteCrypto

/// The services in a credential store that contain the credentials for serving a database.
struct ServedService {
    /// The service for the database's service id, which a restore keeps.
    let lasting: CredentialService
    /// The service for the id of the sealed file, as in earlier versions. Credentials that are found under this service
    /// are moved to `lasting`.
    let former: CredentialService

    init(serviceID: String, databaseID: String) {
        lasting = .server(serviceID)
        former = .server(databaseID)
    }
}
