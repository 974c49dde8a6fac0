// SPDX-License-Identifier: Apache-2.0
// `croco serve` itself, on a model that is trained for the occasion. CROCO_PROGRAM names the program.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export const program = process.env.CROCO_PROGRAM;

/** Runs the program; its exit code and what it printed. */
export async function croco(...args) {
  try {
    const { stdout } = await run(program, args);
    return { code: 0, text: stdout };
  } catch (error) {
    return { code: error.code, text: `${error.stdout}${error.stderr}` };
  }
}

export class RealServer {
  /** Trains a model on a data set by name and serves it. */
  static async train(data, ...options) {
    const server = new RealServer();
    server.folder = await mkdtemp(join(tmpdir(), "croco-serve-"));
    server.model = join(server.folder, "model.json");
    server.args = ["--data", data, ...options];
    const { code, text } = await croco("train", ...server.args, "--output", server.model);
    assert.equal(code, 0, text);
    return server;
  }

  /** Starts it on a port, any free one at first; the address. */
  async start() {
    const port = String(this.port ?? 0);
    const args = ["serve", "--model", this.model, ...this.args, "--port", port];
    this.process = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    this.url = await new Promise((resolve, reject) => {
      let said = "";
      const listen = (text) => {
        said += text;
        const [url] = /http:\/\/[\d.:]+\//.exec(said) ?? [];
        if (url !== undefined) resolve(url);
      };
      this.process.stdout.setEncoding("utf8").on("data", listen);
      this.process.stderr.setEncoding("utf8").on("data", listen);
      this.process.on("exit", (code) => reject(new Error(`serve ended with ${code}: ${said}`)));
    });
    this.port = Number(new URL(this.url).port);
    return this.url;
  }

  async kill() {
    if (this.process === undefined || this.process.exitCode !== null) return;
    const ended = once(this.process, "exit");
    this.process.kill("SIGTERM");
    await ended;
  }

  async remove() {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
