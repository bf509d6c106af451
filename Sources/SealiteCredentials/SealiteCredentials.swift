// Credentials: sync passwords, session tokens, client identities and the keys of databases, kept where the system
// keeps secrets, and never in source code, configuration files or logs.
//
// Where to start:
// - Selection/: `Credentials.openStore`: which store is used and why; whole stores as one sealed file;
// - CredentialStore.swift: the protocol every store keeps to, and what callers may rely on;
// - Credential.swift, CredentialReference.swift, CredentialService.swift: what is stored, and how it is found;
// - CredentialError.swift: what can go wrong, told apart by what a person can do about it;
// - SecretService/: the desktop's store, over libsecret; GLib/ fences C in, and nothing of it leaves this module;
// - Records/: the stored form of each kind (Documentation/Credentials.md is its specification);
// - Vault/: a store in one sealed database, for machines without a Secret Service;
// - InMemory/: a store for tests of programs that use Sealite.
