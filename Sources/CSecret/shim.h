// libsecret-1, and the parts of GLib and GIO it stands on.
#ifndef SEALITE_CSECRET_SHIM_H
#define SEALITE_CSECRET_SHIM_H

#include <gio/gio.h>
#include <libsecret/secret.h>

#endif
