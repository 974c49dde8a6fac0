// SPDX-License-Identifier: Apache-2.0
// `croco serve` itself, on a model that is trained for the occasion. CROCO_PROGRAM names the program.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
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
  /** Serves a model file with these options. */
  static async of(model, ...args) {
    const server = new RealServer();
    server.folder = await mkdtemp(join(tmpdir(), "croco-serve-"));
    server.model = model;
    server.args = args;
    return server;
  }

  /** Trains a model on a data set by name and serves it. */
  static async train(data, ...options) {
    const directory = options.indexOf("--data-dir");
    const where = directory < 0 ? [] : options.slice(directory, directory + 2);
    const server = await RealServer.of(undefined, "--data", data, ...where);
    server.model = join(server.folder, "model.json");
    const { code, text } = await croco(
      ...["train", "--data", data, ...options, "--output", server.model],
    );
    assert.equal(code, 0, text);
    return server;
  }

  /** A file of this text beside the model; its path. */
  async keep(name, text) {
    const path = join(this.folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  }

  /** Starts it on a port, any free one at first, with further options; the address. */
  async start(...more) {
    const port = String(this.port ?? 0);
    const args = ["serve", "--model", this.model, ...this.args, "--port", port, ...more];
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
