"""For scale: mongomock, which does MongoDB's calls in memory, without a file."""
import random
import sys

import mongomock

from bench_people import measure, people

count = int(sys.argv[1])
chance = random.Random(43)
documents = people(count)
chosen = chance.sample(range(count), count // 5)
for index in chosen:
    documents[index]["chosen"] = True
collection = mongomock.MongoClient().bench.people
measure("mongomock insert_many", count, lambda: collection.insert_many(documents))
measure("mongomock count by age, documents looked at", count, lambda: collection.count_documents({"age": {"$gt": 40}}))
group = {"$group": {"_id": "$address.city", "n": {"$sum": 1}}}
measure("mongomock group by city, documents looked at", count, lambda: list(collection.aggregate([group])))
collection.create_index("email")
email = documents[count // 2]["email"]
measure("mongomock find by a string with an index, documents looked at", count, lambda: collection.find_one({"email": email}))
number = documents[count // 2]["_id"]
measure("mongomock find by _id", 10, lambda: [collection.find_one({"_id": number}) for _ in range(10)])
measure(
    "mongomock update_many of a fifth by $set", len(chosen),
    lambda: collection.update_many({"chosen": True}, {"$set": {"age": 91}}))
