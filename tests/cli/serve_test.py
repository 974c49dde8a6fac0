#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`croco serve`: every answer fits the OpenAPI document, rows are those of croco explain, nobody else may
ask, and nothing of a person is in a log or an error."""
import http.client
import json
import re
import shutil
import ssl
import subprocess
import time

import world
from openapi import Document
from server import Server, ServerTest

PLANTED = "74211.8853"


class Answers(ServerTest):
    """What the operations answer."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.document = Document(cls.server.get("/api/v1/openapi.json").json)

    def check(self, answer, method, path, status=200):
        self.assertEqual(answer.status, status, answer.body[:500])
        body = answer.json if answer.media.endswith("json") else None
        self.assertEqual(
            self.document.faults_of_answer(method, path.split("?")[0], status, answer.media, body), [])
        return body

    def get(self, path, status=200):
        return self.check(self.server.get(path), "get", path, status)

    def post(self, name, question, status=200):
        return self.check(self.server.post(name, question), "post", "/api/v1/" + name, status)

    def rejected(self):
        return self.get("/api/v1/people?decision=rejected&limit=1")["people"][0]["row"]

    def test_reads(self):
        model = self.get("/api/v1/model")
        self.assertEqual(model["people"], self.PEOPLE)
        self.assertEqual(model["accepted"] + model["rejected"], self.PEOPLE)
        schema = self.get("/api/v1/schema")
        self.assertEqual([one["name"] for one in schema["features"]], ["income", "debt", "home"])
        page = self.get("/api/v1/people?sort=-score&limit=3")
        scores = [one["score"] for one in page["people"]]
        self.assertEqual(scores, sorted(scores, reverse=True))
        self.assertEqual(self.get(f"/api/v1/people?limit=3&cursor={page['next']}")["people"][0]["row"], 3)
        self.get("/api/v1/people/5")
        self.get("/api/v1/people/4000", 404)
        self.get("/health")
        self.get("/ready")
        self.assertEqual(self.server.get("/nothing").status, 404)
        self.assertEqual(self.server.ask("DELETE", "/health").status, 405)

    def test_rows_are_those_of_explain(self):
        self.croco("explain", "--model", "model.json", "--data", "people.csv", "--rows", "0:12", "--target",
                   "0.1", "--alternatives", "2", "--output", "advice.jsonl", codes=(0, 7))
        expected = (self.folder / "advice.jsonl").read_text()
        given = ""
        for row in range(12):
            answer = self.server.post("explain", {"person": {"row": row}, "target": 0.1, "alternatives": 2},
                                      Accept="application/x-ndjson")
            given += answer.body.decode()
            whole = self.server.post("explain", {"person": {"row": row}, "target": 0.1, "alternatives": 2})
            self.check(whole, "post", "/api/v1/explain")
            for line in answer.body.decode().splitlines():
                self.assertIn(line, whole.body.decode())
        self.assertEqual(given, expected)

    def test_operations(self):
        row = self.rejected()
        person = {"person": {"row": row}, "target": 0.1}
        answer = self.post("explain", person)
        self.assertEqual(answer["rows"][0]["status"], "found")
        after = answer["rows"][0]["after"]
        self.post("cloud", {**person, "count": 100})
        self.post("cloud", {**person, "count": 100, "after": after})
        judged = self.post("certify", {**person, "after": after})
        self.assertEqual(judged["rows"][0]["method"], "given")
        self.assertEqual(len(self.post("compare", person)["methods"]), 4)
        points = self.post("tradeoff", {"person": {"row": row}, "targets": [0.2, 0.1]})["points"]
        self.assertLess(points[0]["cost"], points[1]["cost"])
        letter = self.server.post("letter", person)
        self.assertEqual((letter.status, letter.media), (200, "text/html"))
        self.assertIn("script-src", letter.headers["content-security-policy"])
        limited = self.post("explain", {**person, "features": {"income": {"fixed": True}}})
        self.assertEqual(limited["rows"][0]["before"]["income"],
                         limited["rows"][0].get("after", limited["rows"][0]["before"])["income"])
        record = {**answer["rows"][0]["before"]}
        typed = self.post("explain", {"person": {"record": record, "row": row}, "target": 0.1})
        self.assertEqual(typed["rows"], answer["rows"])

    def test_an_exported_certificate_is_verified(self):
        question = {"person": {"row": self.rejected()}, "features": {"debt": {"direction": "down"}}}
        exported = self.server.post("explain", question, Accept="application/vnd.croco.certificate+json")
        self.assertEqual(exported.status, 200)
        (self.folder / "certificate.json").write_bytes(exported.body)
        self.croco("verify", "certificate.json", "--model", "model.json", "--seed", "4711")
        verified = self.post("verify", {"text": exported.body.decode(), "seed": 4711})
        self.assertTrue(verified["holds"])
        self.assertIn("ok", [one["verdict"] for one in verified["certificates"][0]["findings"]])
        forged = exported.body.decode().replace('"upper": 0.', '"upper": 0.0')
        self.assertFalse(self.post("verify", {"text": forged})["holds"])

    def events(self, name, question):
        answer = self.server.post(name, question, Accept="text/event-stream")
        self.assertEqual((answer.status, answer.media), (200, "text/event-stream"))
        found = re.findall(r"event: (\w+)\ndata: (.*)\n\n", answer.body.decode())
        return [(event, json.loads(data)) for event, data in found]

    def fits(self, schema, value):
        self.assertEqual(list(self.document.faults({"$ref": "#/components/schemas/" + schema}, value, "$")),
                         [])

    def test_event_streams(self):
        events = self.events("explain", {"person": {"row": self.rejected()}})
        self.assertEqual([name for name, _ in events], ["preview", "answer", "certificate", "done"])
        for (_, data), schema in zip(events, ["Preview", "Answer", "CertificateEvent", "Done"]):
            self.fits(schema, data)
        self.assertEqual(events[1][1]["rows"][0]["certificate"], events[2][1]["certificate"])
        # Out of reach: advice first, and the reasons when they are known.
        stuck = {"person": {"row": self.rejected()}, "features": {
            "income": {"fixed": True}, "debt": {"fixed": True}}}
        events = self.events("explain", stuck)
        self.assertEqual([name for name, _ in events], ["preview", "answer", "answer", "done"])
        self.assertTrue(events[1][1]["reasons_pending"])
        self.assertIn("obstacle", events[2][1]["rows"][0])
        self.fits("Answer", events[2][1])
        events = self.events("tradeoff", {"person": {"row": self.rejected()}, "targets": [0.2, 0.1]})
        self.assertEqual([name for name, _ in events], ["point", "point", "done"])
        self.fits("TradeoffPoint", events[0][1])
        self.assertEqual(self.server.post("explain", {}, Accept="text/event-stream").status, 400)

    def test_wrong_questions(self):
        row = {"person": {"row": self.rejected()}}
        for name, question, status in (
                ("explain", "{", 400), ("explain", {}, 400), ("explain", {**row, "tagret": 1}, 400),
                ("explain", {**row, "target": 2}, 422), ("explain", {**row, "alternatives": 17}, 422),
                ("explain", {**row, "noise": {"spec": "loud"}}, 422),
                ("explain", {"person": {"row": 10**9}}, 404),
                ("explain", {**row, "features": {"height": {"fixed": True}}}, 400),
                ("explain", {**row, "features": {"income": {"minimum": 5, "maximum": 4}}}, 422),
                ("cloud", {**row, "count": 0}, 422), ("certify", row, 400), ("verify", {"text": "{}"}, 422),
                ("tradeoff", {**row, "targets": []}, 422), ("compare", {**row, "methods": ["x"]}, 400)):
            with self.subTest(name=name, question=question):
                problem = self.post(name, question, status)
                self.assertEqual(problem["status"], status)
        self.assertEqual(self.server.post("explain", "{}", Content_Type="text/plain").status, 415)

    def test_nothing_of_a_person_is_repeated(self):
        bad = {"income": PLANTED + "x", "debt": "1", "home": "own"}
        texts = []
        for name, question in (
                ("explain", {"person": {"record": bad}}),
                ("explain", {"person": {"record": {**bad, "income": 1, "home": PLANTED}}}),
                ("explain", {"person": {"record": {PLANTED: 1}}}),
                ("explain", '{"person": {"record": {"income": ' + PLANTED + "x"),
                ("certify", {"person": {"row": 0}, "after": bad}),
                ("verify", {"text": '{"certificate": {"before": "' + PLANTED + '"}}'}),
                ("explain", {"person": {"record": {"income": float(PLANTED), "debt": 3, "home": "own"}}})):
            answer = self.server.post(name, question)
            if answer.status != 200:
                texts.append(answer.body.decode())
        self.server.get(f"/api/v1/people?query={PLANTED}&sort=score")
        self.server.get(f"/{PLANTED}")
        self.server.get(f"/api/v1/people/{PLANTED}")
        self.assertGreaterEqual(len(texts), 6)
        self.eventually(lambda: '"route":"other"' in self.server.log)
        for text in (*texts, self.server.log):
            self.assertNotIn(PLANTED, text)

    def test_the_page_and_its_policy(self):
        page = self.server.get("/")
        self.assertEqual(page.status, 200)
        self.assertIn("default-src 'none'", page.headers["content-security-policy"])
        self.assertEqual(page.headers["x-content-type-options"], "nosniff")
        self.assertIn("croco_requests_total", self.server.get("/metrics").body.decode())


class Guards(ServerTest):
    """Who may ask."""

    def status(self, **headers):
        return self.server.get("/api/v1/model", **headers).status

    def test_host_and_origin(self):
        own = f"127.0.0.1:{self.server.port}"
        self.assertEqual(self.status(Host="localhost"), 200)
        self.assertEqual(self.status(Host="evil.example"), 403)
        self.assertEqual(self.status(Host="127.0.0.1.evil.example"), 403)
        self.assertEqual(self.status(Origin="http://evil.example"), 403)
        self.assertEqual(self.status(Origin="null"), 403)
        self.assertEqual(self.status(Host=own, Origin=f"http://{own}"), 200)

    def test_beyond_loopback_a_token_is_needed(self):
        refused = self.croco("serve", "--host", "0.0.0.0", "--port", 0, codes=(2,))
        self.assertIn("--token-file", refused.stderr)
        (self.folder / "short").write_text("abc\n")
        self.croco("serve", "--token-file", "short", codes=(2,))

    def test_token(self):
        token = "correct-horse-battery-staple"
        (self.folder / "token").write_text(token + "\n")
        server = self.serve("--host", "0.0.0.0", "--token-file", "token", "--allow-host", "127.0.0.1")
        self.addCleanup(server.process.kill)
        self.assertEqual(server.get("/api/v1/model").status, 401)
        self.assertEqual(server.get("/metrics").status, 401)
        self.assertEqual(server.get("/api/v1/model", Authorization="Bearer wrong").status, 401)
        self.assertEqual(server.get("/api/v1/model", Authorization=f"Bearer {token}").status, 200)
        self.assertEqual(server.get("/health").status, 200)
        self.assertEqual(server.end(), 0)
        self.assertNotIn(token, server.log)


    def test_encrypted(self):
        if shutil.which("openssl") is None:
            self.skipTest("there is no openssl to make a certificate with")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out",
                        "cert.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=IP:127.0.0.1"], cwd=self.folder, capture_output=True, check=True)
        server = self.serve("--tls-cert", "cert.pem", "--tls-key", "key.pem")
        self.addCleanup(server.process.kill)
        trusted = ssl.create_default_context(cafile=self.folder / "cert.pem")
        connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=trusted, timeout=30)
        for _ in range(3):
            connection.request("POST", "/api/v1/explain", json.dumps({"person": {"row": 0}}),
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            self.assertEqual(answer.status, 200)
            self.assertIn("rows", json.loads(answer.read()))
        connection.close()
        with server.socket() as plain:
            plain.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertNotIn(b"200 OK", plain.recv(100))
        self.assertEqual(server.end(), 0)


class Demonstration(ServerTest):
    """Without arguments there is a demonstration, and SIGTERM ends it in good order."""

    def test_demo_and_end(self):
        server = Server(self.command("serve", "--port", 0), self.folder)
        self.addCleanup(server.process.kill)
        model = server.get("/api/v1/model").json
        self.assertTrue(model["demo"])
        self.assertEqual(model["people"], 1000)
        begin = time.monotonic()
        self.assertEqual(server.end(), 0)
        self.assertLess(time.monotonic() - begin, 5)


if __name__ == "__main__":
    world.main()
