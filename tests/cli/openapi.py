# SPDX-License-Identifier: Apache-2.0
"""Checks answers against an OpenAPI document: the part of JSON Schema that croco's own uses."""
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
         "integer": int, "number": (int, float)}
KNOWN = {"type", "description", "properties", "required", "additionalProperties", "items", "enum", "oneOf",
         "$ref", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
         "minLength", "maxLength"}


class Document:
    """An OpenAPI document whose answers are checked."""

    def __init__(self, document):
        self.document = document

    def resolve(self, node):
        while "$ref" in node:
            place = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                place = place[part]
            node = place
        return node

    def operation(self, method, path):
        """The operation of an address, with or without a row in it."""
        for pattern, operations in self.document["paths"].items():
            if re.fullmatch(re.sub(r"\{\w+\}", r"[^/]+", pattern), path) and method in operations:
                return operations[method]
        raise AssertionError(f"{method} {path} is not in the document")

    def faults_of_answer(self, method, path, status, media, body):
        responses = self.operation(method, path)["responses"]
        if str(status) not in responses:
            return [f"{method} {path}: status {status} is not in the document"]
        content = self.resolve(responses[str(status)])["content"]
        if media not in content:
            return [f"{method} {path}: {media} is not in the document for {status}"]
        if media not in ("application/json", "application/problem+json"):
            return []
        return list(self.faults(content[media]["schema"], body, "$"))

    def faults(self, schema, value, place):
        """What does not fit, by place."""
        schema = self.resolve(schema)
        unknown = set(schema) - KNOWN
        assert not unknown, f"the checker does not know {unknown}"
        if "oneOf" in schema:
            if sum(not list(self.faults(one, value, place)) for one in schema["oneOf"]) != 1:
                yield f"{place}: fits not exactly one of {len(schema['oneOf'])}"
            return
        if "enum" in schema and value not in schema["enum"]:
            yield f"{place}: {value!r} is none of {schema['enum']}"
        kinds = schema.get("type", list(TYPES))
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if not any(self.is_a(value, kind) for kind in kinds):
            yield f"{place}: {value!r} is no {kinds}"
            return
        if isinstance(value, dict):
            yield from self.object_faults(schema, value, place)
        elif isinstance(value, list):
            if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
                yield f"{place}: {len(value)} items"
            for number, item in enumerate(value):
                yield from self.faults(schema.get("items", {}), item, f"{place}[{number}]")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield from self.number_faults(schema, value, place)

    @staticmethod
    def is_a(value, kind):
        if isinstance(value, bool):
            return kind == "boolean"
        if kind == "integer" and isinstance(value, float):
            return value.is_integer()
        return isinstance(value, TYPES[kind])

    def object_faults(self, schema, value, place):
        properties = schema.get("properties", {})
        for name in schema.get("required", ()):
            if name not in value:
                yield f"{place}: '{name}' is missing"
        for name, item in value.items():
            if name in properties:
                yield from self.faults(properties[name], item, f"{place}.{name}")
            elif schema.get("additionalProperties") is False:
                yield f"{place}: '{name}' is not in the document"
            elif isinstance(schema.get("additionalProperties"), dict):
                yield from self.faults(schema["additionalProperties"], item, f"{place}.{name}")

    @staticmethod
    def number_faults(schema, value, place):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            yield f"{place}: {value} is out of range"
        if value <= schema.get("exclusiveMinimum", float("-inf")):
            yield f"{place}: {value} is out of range"
        if value >= schema.get("exclusiveMaximum", float("inf")):
            yield f"{place}: {value} is out of range"
