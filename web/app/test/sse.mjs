// SPDX-License-Identifier: Apache-2.0

/** The events in the text of a stream; independent of how the page reads them. */
export const readSse = (text) =>
  text
    .split("\n\n")
    .filter((block) => block.startsWith("event: "))
    .map((block) => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/s.exec(block);
      return { name, data: JSON.parse(data) };
    });
