#!/usr/bin/python3
"""A Secret Service that misbehaves in the ways the options say; for tests only. Secrets travel in plain sessions.

Started on the bus of DBUS_SESSION_BUS_ADDRESS; prints "ready" when it owns the name.
"""

import argparse
import json
import os
import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

ROOT = "/org/freedesktop/secrets"
SERVICE = "org.freedesktop.Secret.Service"
COLLECTION = "org.freedesktop.Secret.Collection"
ITEM = "org.freedesktop.Secret.Item"
PROMPT = "org.freedesktop.Secret.Prompt"
PROPERTIES = "org.freedesktop.DBus.Properties"

parser = argparse.ArgumentParser()
parser.add_argument("--prompt", choices=["none", "hang", "ignore-dismiss", "dismiss", "accept"], default="none")
parser.add_argument("--locked", action="store_true")
parser.add_argument("--hide-locked", action="store_true")
parser.add_argument("--other-locked", action="store_true", help="a second collection, which is always locked and hides")
parser.add_argument("--no-default", action="store_true")
parser.add_argument("--hang", default="", help="a method that is never answered")
parser.add_argument("--die", default="", help="a method in the middle of which the process ends")
parser.add_argument("--deny-change", action="store_true", help="SetSecret fails")
parser.add_argument("--deny-delete", action="store_true", help="Delete says yes and does nothing")
parser.add_argument("--sessions", type=int, default=-1, help="how many sessions may be opened")
parser.add_argument("--items", default="[]", help='JSON: [{"attributes": {}, "secret": "", "label": "", "modified": 0}]')
parser.add_argument("--pad", type=int, default=0, help="so many bytes more in the secret of each of these items")
options = parser.parse_args()


class NotSupported(dbus.DBusException):
    _dbus_error_name = "org.freedesktop.DBus.Error.NotSupported"


class IsLocked(dbus.DBusException):
    _dbus_error_name = "org.freedesktop.Secret.Error.IsLocked"


def misbehave(method):
    """True when the method must never be answered; doesn't return when the process is to end in it."""
    if options.die == method:
        os._exit(1)
    return options.hang == method


class Object(dbus.service.Object):
    interface = ""

    def properties(self):
        return {}

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return self.properties()[name]

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        return self.properties()


class Prompt(Object):
    count = 0

    def __init__(self, service):
        Prompt.count += 1
        self.path = f"{ROOT}/prompt/p{Prompt.count}"
        self.service = service
        super().__init__(service.bus, self.path)

    @dbus.service.signal(PROMPT, signature="bv")
    def Completed(self, dismissed, result):
        pass

    @dbus.service.method(PROMPT, in_signature="s", out_signature="")
    def Prompt(self, window):
        if options.prompt == "accept":
            self.service.collection.locked = False
            paths = dbus.Array([dbus.ObjectPath(self.service.collection.path)], signature="o", variant_level=1)
            GLib.idle_add(lambda: self.Completed(False, paths) and False)
        elif options.prompt == "dismiss":
            GLib.idle_add(lambda: self.Completed(True, dbus.Array([], signature="o", variant_level=1)) and False)

    @dbus.service.method(PROMPT, in_signature="", out_signature="", async_callbacks=("answer", "fail"))
    def Dismiss(self, answer, fail):
        if options.prompt != "ignore-dismiss":
            answer()
            self.Completed(True, dbus.Array([], signature="o", variant_level=1))


class Item(Object):
    count = 0

    def __init__(self, collection, attributes, secret, label, modified):
        Item.count += 1
        self.path = f"{collection.path}/i{Item.count}"
        self.collection = collection
        self.attributes, self.secret, self.label, self.modified = attributes, secret, label, modified
        super().__init__(collection.service.bus, self.path)

    def properties(self):
        return {
            "Locked": dbus.Boolean(self.collection.locked),
            "Attributes": dbus.Dictionary(self.attributes, signature="ss"),
            "Label": dbus.String(self.label),
            "Created": dbus.UInt64(self.modified),
            "Modified": dbus.UInt64(self.modified),
        }

    @dbus.service.method(ITEM, in_signature="", out_signature="o")
    def Delete(self):
        if not options.deny_delete:
            self.collection.items.remove(self)
            self.remove_from_connection()
        return dbus.ObjectPath("/")

    @dbus.service.method(ITEM, in_signature="o", out_signature="(oayays)", async_callbacks=("answer", "fail"))
    def GetSecret(self, session, answer, fail):
        if misbehave("GetSecret"):
            return
        if self.collection.locked:
            fail(IsLocked("locked"))
            return
        answer(dbus.Struct(
            (dbus.ObjectPath(session), dbus.ByteArray(b""), dbus.ByteArray(self.secret), "text/plain"),
            signature="oayays"))

    @dbus.service.method(ITEM, in_signature="(oayays)", out_signature="")
    def SetSecret(self, secret):
        if self.collection.locked or options.deny_change:
            raise IsLocked("locked")
        self.secret = bytes(secret[2])
        self.modified += 1


class Collection(Object):
    path = f"{ROOT}/collection/fake"

    def __init__(self, service):
        self.service, self.locked, self.items = service, options.locked, []
        super().__init__(service.bus, self.path)
        for item in json.loads(options.items):
            self.items.append(
                Item(
                    self, item["attributes"], item["secret"].encode() + b"x" * options.pad, item.get("label", ""),
                    item.get("modified", 1)))

    def properties(self):
        return {
            "Items": dbus.Array([dbus.ObjectPath(item.path) for item in self.items], signature="o"),
            "Label": dbus.String("Fake"),
            "Locked": dbus.Boolean(self.locked),
            "Created": dbus.UInt64(1),
            "Modified": dbus.UInt64(1),
        }

    @dbus.service.method(
        COLLECTION, in_signature="a{sv}(oayays)b", out_signature="oo", async_callbacks=("answer", "fail"))
    def CreateItem(self, properties, secret, replace, answer, fail):
        if misbehave("CreateItem"):
            return
        if self.locked:
            fail(IsLocked("locked"))
            return
        attributes = {str(k): str(v) for k, v in properties[ITEM + ".Attributes"].items()}
        item = Item(self, attributes, bytes(secret[2]), str(properties[ITEM + ".Label"]), 1)
        self.items = [other for other in self.items if not (replace and other.attributes == attributes)] + [item]
        answer(dbus.ObjectPath(item.path), dbus.ObjectPath("/"))


class LockedCollection(Object):
    def __init__(self, bus):
        self.path = f"{ROOT}/collection/other"
        super().__init__(bus, self.path)

    def properties(self):
        return {
            "Items": dbus.Array([], signature="o"), "Label": dbus.String("Other"), "Locked": dbus.Boolean(True),
            "Created": dbus.UInt64(1), "Modified": dbus.UInt64(1),
        }


class Session(Object):
    pass


class Service(Object):
    def __init__(self, bus):
        self.bus, self.sessions = bus, 0
        super().__init__(bus, ROOT)
        self.session = Session(bus, f"{ROOT}/session/s1")
        self.collection = Collection(self)
        self.collections = [self.collection] + ([LockedCollection(bus)] if options.other_locked else [])

    def properties(self):
        return {"Collections": dbus.Array([dbus.ObjectPath(each.path) for each in self.collections], signature="o")}

    @dbus.service.method(SERVICE, in_signature="sv", out_signature="vo")
    def OpenSession(self, algorithm, argument):
        if algorithm != "plain" or self.sessions == options.sessions:
            raise NotSupported("only plain")
        self.sessions += 1
        return dbus.String("", variant_level=1), dbus.ObjectPath(f"{ROOT}/session/s1")

    @dbus.service.method(
        SERVICE, in_signature="a{ss}", out_signature="aoao", async_callbacks=("answer", "fail"))
    def SearchItems(self, attributes, answer, fail):
        if misbehave("SearchItems"):
            return
        wanted = {str(k): str(v) for k, v in attributes.items()}
        found = dbus.Array(
            [dbus.ObjectPath(item.path) for item in self.collection.items
             if all(item.attributes.get(k) == v for k, v in wanted.items())], signature="o")
        none = dbus.Array([], signature="o")
        if not self.collection.locked:
            answer(found, none)
        else:
            answer(none, none if options.hide_locked else found)

    @dbus.service.method(SERVICE, in_signature="s", out_signature="o")
    def ReadAlias(self, name):
        known = name == "default" and not options.no_default
        return dbus.ObjectPath(self.collection.path if known else "/")

    @dbus.service.method(SERVICE, in_signature="ao", out_signature="aoo")
    def Unlock(self, objects):
        other = any(str(path).startswith(f"{ROOT}/collection/other") for path in objects)
        if not other and (options.prompt == "none" or not self.collection.locked):
            self.collection.locked = False
            return objects, dbus.ObjectPath("/")
        return dbus.Array([], signature="o"), dbus.ObjectPath(Prompt(self).path)


DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
service = Service(bus)
name = dbus.service.BusName("org.freedesktop.secrets", bus, do_not_queue=True)
print("ready", flush=True)
GLib.MainLoop().run()
