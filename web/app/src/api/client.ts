// SPDX-License-Identifier: Apache-2.0
// Asks the server that the page came from, and no other.
import { signal } from "@preact/signals";
import { readEvents, type ServerEvent } from "./events";
import type { ProblemAnswer } from "./types";

/** The server answered, with a problem in a sentence. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    /** Seconds after which it is worth asking again; null when it is not. */
    readonly retryAfter: number | null,
  ) {
    super(detail);
  }
}

/** The server did not answer at all. */
export class Unreachable extends Error {}

/** What a server beyond the own machine asks for. It is kept nowhere but here. */
export const token = signal("");

/** Requests that were aborted because a newer one replaced them are no failures. */
export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === "AbortError";

async function problemOf(response: Response): Promise<Problem> {
  const wait = Number(response.headers.get("Retry-After"));
  const retryAfter = response.status === 503 ? Math.max(1, wait || 1) : null;
  try {
    const { detail, title } = (await response.json()) as ProblemAnswer;
    return new Problem(response.status, detail || title, retryAfter);
  } catch (error) {
    if (isAbort(error)) throw error;
    return new Problem(response.status, `The server answered ${response.status}.`, retryAfter);
  }
}

interface Options {
  body?: unknown;
  accept?: string;
  signal?: AbortSignal | undefined;
}

async function request(path: string, { body, accept, signal }: Options): Promise<Response> {
  const headers: Record<string, string> = { Accept: accept ?? "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (token.value !== "") headers["Authorization"] = `Bearer ${token.value}`;
  let response: Response;
  try {
    response = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
      cache: "no-store",
      credentials: "omit",
    });
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new Unreachable("The server does not answer.");
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** Answers of the interface, by path below /api/v1. */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await request(`/api/v1/${path}`, { signal })).json()) as T;
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await (await request(`/api/v1/${path}`, { body, signal })).json()) as T;
}

/** An answer as text, in the form that is asked for. */
export async function postText(path: string, body: unknown, accept: string): Promise<string> {
  return (await request(`/api/v1/${path}`, { body, accept })).text();
}

/** The events of an answer, one after another; a problem among them is thrown. */
export async function* stream(
  path: string,
  body: unknown,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const response = await request(`/api/v1/${path}`, { body, accept: "text/event-stream", signal });
  if (response.body === null) throw new Unreachable("The server sent nothing.");
  let done = false;
  try {
    for await (const event of readEvents(response.body)) {
      if (event.name === "error") {
        const { status, detail } = event.data as ProblemAnswer;
        throw new Problem(status, detail, status === 503 ? 1 : null);
      }
      done = done || event.name === "done";
      yield event;
    }
  } catch (error) {
    if (isAbort(error) || error instanceof Problem) throw error;
    throw new Unreachable("The server broke off.");
  }
  if (!done) throw new Unreachable("The server broke off.");
}

/** Whether the process answers. */
export async function isHealthy(): Promise<boolean> {
  try {
    return (await fetch("/health", { cache: "no-store", credentials: "omit" })).ok;
  } catch {
    return false;
  }
}
