// SPDX-License-Identifier: Apache-2.0
// A server that answers from recorded fixtures. It can die and come back on the same port.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "fixtures");

const known = new Map();

/** A recorded answer, or a list of questions with their answers. */
export function fixture(name) {
  if (!known.has(name)) {
    known.set(name, JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")));
  }
  return known.get(name);
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The events 'certificate' of a recorded answer. */
export const certificatesOf = ({ answer, certificates }) =>
  certificates.map((one, i) => ({ ...one, certificate: answer.rows[i].certificate }));

/** The recorded question of the same person whose target is nearest; with many limits, the hopeless one. */
function nearest(recorded, { person, target = 0.05, features = {} }) {
  const hopeless = recorded.find(({ question }) => question.frozen);
  if (hopeless !== undefined && Object.keys(features).length > 5) return hopeless;
  const same = recorded.filter(({ question }) => question.row === person.row);
  const among = same.length > 0 ? same : recorded.slice(0, 1);
  const distance = ({ question }) => Math.abs(Math.log((question.target ?? target) / target));
  return among.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}

export class MockServer {
  constructor(page) {
    this.page = page;
    /** Bodies of what was asked, by path. */
    this.asked = [];
    this.aborted = 0;
    /** Milliseconds between a preview and its answer. */
    this.delay = 0;
    /** A problem to answer questions with, once. */
    this.refuseOnce = null;
    this.model = fixture("model");
  }

  async start(port = 0) {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((error) => response.destroy(error));
    });
    await new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    this.port = this.server.address().port;
    return `http://127.0.0.1:${this.port}/`;
  }

  async stop() {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async answer(request, response) {
    const { pathname, searchParams } = new URL(request.url, "http://host");
    const json = (value, status = 200, type = "application/json", headers = {}) => {
      response.writeHead(status, { "Content-Type": type, ...headers });
      response.end(typeof value === "string" ? value : JSON.stringify(value));
    };
    if (pathname === "/") return json(this.page, 200, "text/html; charset=utf-8");
    if (pathname === "/health") return json({ status: "ok" });
    const path = pathname.replace("/api/v1/", "");
    if (path === "model") return json(this.model);
    if (path === "schema") return json(fixture("schema"));
    if (path === "people") return json(people(searchParams));
    if (path.startsWith("people/")) {
      const row = Number(path.slice("people/".length));
      const found = fixture("people").find((one) => one.row === row);
      return found === undefined ? json(kMissing, 404, "application/problem+json") : json(found);
    }
    const body = JSON.parse(await text(request));
    this.asked.push({ path, body, accept: request.headers.accept });
    if (this.refuseOnce !== null) {
      const refusal = this.refuseOnce;
      this.refuseOnce = null;
      return json(refusal, refusal.status, "application/problem+json", { "Retry-After": "1" });
    }
    if (path === "verify") return json(verification(body));
    if (path === "letter") return json("<!doctype html><title>Letter</title>", 200, "text/html");
    const recorded = nearest(fixture(path), body);
    if (request.headers.accept !== "text/event-stream") {
      return path === "explain"
        ? json(recorded[request.headers.accept] ?? "", 200, request.headers.accept)
        : json(recorded.answer);
    }
    return this.stream(request, response, path, recorded);
  }

  async stream(request, response, path, recorded) {
    response.on("close", () => {
      if (!response.writableEnded) this.aborted += 1;
    });
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const send = (name, data) =>
      response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    if (path === "explain") {
      send("preview", recorded.preview);
      await pause(this.delay);
      send("answer", recorded.answer);
      for (const one of certificatesOf(recorded)) send("certificate", one);
    } else {
      for (const point of recorded.answer.points) send("point", point);
    }
    send("done", { milliseconds: 1 });
    response.end();
  }
}

const kMissing = { type: "about:blank", title: "Not Found", status: 404, detail: "no such row" };

async function text(request) {
  let all = "";
  for await (const part of request.setEncoding("utf8")) all += part;
  return all;
}

/** Search, filter, sort and pages, as the server has them. */
function people(asked) {
  const all = [...fixture("people")];
  const query = (asked.get("query") ?? "").toLowerCase();
  const decision = asked.get("decision");
  const sort = asked.get("sort") ?? "row";
  const by = sort.replace(/^-/, "");
  const key = (one) => (by === "row" ? one.row : by === "score" ? one.score : one.record[by]);
  const matching = all
    .filter((one) => decision === null || one.decision === decision)
    .filter((one) =>
      [one.row, ...Object.values(one.record)].some((value) =>
        String(value).toLowerCase().includes(query),
      ),
    )
    .sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      const order = Number(x) - Number(y) || String(x).localeCompare(String(y));
      return sort.startsWith("-") ? -order : order;
    });
  const first = Number(asked.get("cursor") ?? 0);
  const next = first + Number(asked.get("limit") ?? 50);
  return {
    total: all.length,
    matching: matching.length,
    people: matching.slice(first, next),
    next: next < matching.length ? String(next) : null,
  };
}

/** A certificate that was changed does not hold. */
function verification({ text: certificate }) {
  const recorded = fixture("verify");
  const certificates = fixture("explain").flatMap(certificatesOf);
  const given = JSON.stringify(JSON.parse(certificate));
  const holds = certificates.some((one) => JSON.stringify(one.certificate) === given);
  return recorded.find(({ question }) => question.holds === holds).answer;
}
