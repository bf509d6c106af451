#!/usr/bin/python3
"""Makes a keyring with an empty password, which gnome-keyring doesn't encrypt, and makes it the default one."""

import dbus

service = dbus.SessionBus().get_object("org.freedesktop.secrets", "/org/freedesktop/secrets")
secrets = dbus.Interface(service, "org.freedesktop.Secret.Service")
_, session = secrets.OpenSession("plain", dbus.String("", variant_level=1))
# The call of gnome-keyring's own tools, which asks nobody for the password.
own = dbus.Interface(service, "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface")
path = own.CreateWithMasterPassword(
    dbus.Dictionary({"org.freedesktop.Secret.Collection.Label": "open"}, signature="sv"),
    dbus.Struct((session, dbus.ByteArray(b""), dbus.ByteArray(b""), "text/plain"), signature="oayays"))
secrets.SetAlias("default", path)
