// SPDX-License-Identifier: Apache-2.0
// Server-sent events from the body of a response. EventSource cannot send a question.

export interface ServerEvent {
  name: string;
  data: unknown;
}

function parse(block: string): ServerEvent | null {
  let name = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === "event") name = value;
    else if (field === "data") data.push(value);
  }
  return data.length === 0 ? null : { name, data: JSON.parse(data.join("\n")) as unknown };
}

/** Reads blocks that end with an empty line; what is incomplete at the end is no event. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true }).replaceAll("\r\n", "\n");
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parse(block);
        if (event !== null) yield event;
      }
    }
  } finally {
    // Leaving early frees the connection, and with it the server's worker.
    reader.cancel().catch(() => undefined);
  }
}
