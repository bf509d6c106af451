// Loads libsecret at the first call of one of its functions, or of GLib's, that the target CSecret lists.
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

#endif
