// Loads libsecret at the first call of one of its functions, or of GLib's, that the target CSecret lists; and what for it must be
// written in C.
#ifndef SEALITE_CSECRETLOADING_H
#define SEALITE_CSECRETLOADING_H

/// Loads libsecret if it isn't loaded. Safe from any thread.
///
/// Returns why it can't be loaded, as dlerror(3) says it; NULL if it is loaded. A call of a function of libsecret or GLib that
/// isn't preceded by this one ends the process with status 127 and the same text if it can't be loaded.
const char *_Nullable sealite_load_secret(void);

/// Discards the messages that GLib and libsecret write to standard error, for the rest of the process. To be called before any
/// other function of them; doesn't load them.
void sealite_silence_glib(void);

/// Returns the GType of a SecretService that ignores the provider's signals. libsecret must be loaded. Safe from any thread.
///
/// By them libsecret's own class keeps its list of collections current, and 0.20.5 ends the process at a new collection if it
/// has no list. Sealite asks the provider itself instead.
unsigned long sealite_secret_service_type(void);

#endif
