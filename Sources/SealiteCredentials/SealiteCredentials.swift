// Credentials: sync passwords, session tokens, client identities and the keys of databases, kept in the system's store
// for secrets, and never in source code, configuration files or logs.
//
// The main files and folders:
// - Selection/: `Credentials.openStore`, which chooses and opens a store, and the export of a whole store to one
//   encrypted file;
// - CredentialStore.swift: the protocol of all stores, with its guarantees for callers;
// - Credential.swift, CredentialReference.swift: credentials and their identities;
// - CredentialError.swift: failures, distinguished by the user's remedy;
// - SecretService/: the desktop's store, over libsecret; GLib/ wraps C, and no C type leaves this module;
// - Records/: the stored form of each kind (Documentation/Credentials.md is its specification);
// - Vault/: a store in one sealed database, for machines without a Secret Service;
// - InMemory/: a store for tests of programs that use Sealite.

// Credentials are stored for endpoints and become the secrets of a connection to one, so the values that describe
// connections are a part of this product's interface; they are declared below SealiteTransport.
@_exported public import SealiteEndpoints
