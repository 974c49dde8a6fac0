#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`croco serve` under questions that are made from its OpenAPI document, right and wrong ones: every answer
fits the document, and none is a fault of the program."""
import collections
import json
import os
import random
import unittest
import urllib.parse

import world
from openapi import Document
from server import Answer, ServerTest

CASES = int(os.environ.get("CROCO_SERVE_CASES", "5000"))
TEXTS = ["", "own", "rent", "a", "\u00e4", "\x00", "'", '"', "%", "..", "-1", "1e400", "nan", "x" * 300,
         "gaussian:sd=0.1", "uniform:half-width=0.2", "schema", "gaussian", "laplace:scale=-1"]
NUMBERS = [0, 1, -1, 0.05, 0.1, 0.5, 2, 1e-9, 1e300, -1e300, 17, 1000, 2**53, 2**64, 0.999, 12.5]


class Maker:
    """Makes values for a schema. Most fit; some are anything."""

    def __init__(self, document, seed):
        self.document = document
        self.random = random.Random(seed)

    def anything(self):
        return self.random.choice([None, True, [], {}, [1], {"a": 1}, self.random.choice(TEXTS),
                                   self.random.choice(NUMBERS)])

    def make(self, schema, name=""):
        if self.random.random() < 0.02:
            return self.anything()
        schema = self.document.resolve(schema)
        if "oneOf" in schema:
            return self.make(self.random.choice(schema["oneOf"]), name)
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        kind = schema.get("type", "object")
        kind = self.random.choice(kind) if isinstance(kind, list) else kind
        return getattr(self, "make_" + kind)(schema, name)

    def make_object(self, schema, name):
        if name in ("record", "after"):
            names = ["income", "debt", "home"]
            return {one: self.record_value(one) for one in names if self.random.random() < 0.98}
        made = {}
        required = schema.get("required", ())
        for one, inner in schema.get("properties", {}).items():
            if one in required or self.random.random() < 0.2:
                made[one] = self.make(inner, one)
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict):
            for one in self.random.sample(["income", "debt", "home", "height"], self.random.randint(0, 2)):
                made[one] = self.make(extra, one)
        return made

    def record_value(self, name):
        if self.random.random() < 0.05:
            return self.random.choice([*TEXTS, None, *NUMBERS])
        return self.random.choice(["own", "rent"]) if name == "home" else self.random.randint(0, 100)

    def make_array(self, schema, name):
        length = self.random.randint(0, 3)
        return [self.make(schema.get("items", {}), name) for _ in range(length)]

    def make_string(self, _schema, name):
        return self.random.choice(["own", "rent"] if name == "levels" else TEXTS)

    def make_number(self, schema, _name):
        if self.random.random() < 0.1:
            return self.random.choice(NUMBERS)
        low = schema.get("exclusiveMinimum", schema.get("minimum", 0))
        return round(low + self.random.random() * (schema.get("exclusiveMaximum", low + 1) - low), 3)

    def make_integer(self, schema, name):
        if self.random.random() < 0.1:
            return self.random.choice(NUMBERS)
        limits = {"row": 399, "max_samples": 20000, "count": 50, "alternatives": 3, "samples": 2000}
        return self.random.randint(schema.get("minimum", 0), limits.get(name, 20))

    @staticmethod
    def make_null(_schema, _name):
        return None

    def make_boolean(self, _schema, _name):
        return self.random.random() < 0.5


class Questions(ServerTest):
    """As many as CROCO_SERVE_CASES says."""

    OPTIONS = ("--log", "off", "--time-limit", 5)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.document = Document(cls.server.get("/api/v1/openapi.json").json)
        cls.operations = [(path, method, operation)
                          for path, methods in cls.document.document["paths"].items()
                          for method, operation in methods.items()]

    def ask(self, connection, maker, number):
        path, method, operation = maker.random.choice(self.operations)
        query = {one["name"]: maker.make(one["schema"], one["name"])
                 for one in operation.get("parameters", ()) if one["in"] == "query"
                 and maker.random.random() < 0.5}
        target = path.replace("{row}", str(maker.make({"type": "integer"}, "row")).replace(" ", ""))
        target = urllib.parse.quote(target)
        if query:
            target += "?" + urllib.parse.urlencode(query)
        body, headers = None, {}
        if "requestBody" in operation:
            content = operation["requestBody"]["content"]["application/json"]
            body = json.dumps(maker.make(content["schema"]))
            headers = {"Content-Type": "application/json"}
            media = list(operation["responses"]["200"]["content"])
            headers["Accept"] = maker.random.choice([*media, "*/*"])
        connection.request(method.upper(), target, body, headers)
        answer = Answer(connection.getresponse())
        where = f"case {number}: {method} {target} {body} {headers}"
        self.assertTrue(answer.status < 500 or answer.status == 503, f"{where}: {answer.body[:300]}")
        parsed = answer.json if answer.media.endswith("json") and "vnd" not in answer.media else None
        faults = self.document.faults_of_answer(method, path, answer.status, answer.media, parsed)
        self.assertEqual(faults, [], where)
        return answer.status

    def test_every_answer_fits(self):
        statuses = collections.Counter()
        maker = Maker(self.document, 7)
        connection = self.server.connect()
        for number in range(CASES):
            statuses[self.ask(connection, maker, number)] += 1
        connection.close()
        print(dict(statuses))
        self.assertGreater(statuses[200], CASES // 5)
        self.assertIsNone(self.server.process.poll())


if __name__ == "__main__":
    unittest.TestCase.maxDiff = 2000
    world.main()
