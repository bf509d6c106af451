#!/bin/sh
# Every use of SwiftNIO depends on the trait Sync, so that who leaves it out fetches none of it.
set -eu
cd "$(dirname "$0")/../.."
swift package dump-package | /usr/bin/python3 -c '
import json, sys
package = json.load(sys.stdin)
uses = [(target["name"], dependency["product"]) for target in package["targets"] for dependency in target["dependencies"]
        if "product" in dependency and dependency["product"][1] in ("swift-nio", "swift-nio-ssl")]
wrong = [name + ": " + product[0] for name, product in uses if "Sync" not in json.dumps(product[3])]
if len(uses) < 5 or wrong or not any(trait["name"] == "Sync" for trait in package["traits"]):
    sys.exit("traits: SwiftNIO without the trait Sync: %s" % wrong)
print("traits: %d uses of SwiftNIO, all with Sync" % len(uses))'
