// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";
import type { Part } from "../state/more";

interface PanelProps {
  id: string;
  title: string;
  /** One or two sentences: what it shows, and how to read it. */
  about?: string;
  part?: Part<unknown>;
  children: ComponentChildren;
}

/** A titled part of the view, which says when it is being computed and when that failed. */
export function Panel({ id, title, about, part, children }: PanelProps) {
  return (
    <section class="card panel" id={id} aria-labelledby={`${id}-title`} aria-busy={part?.loading}>
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        {part?.loading && <span class="hint">Computing …</span>}
      </header>
      {about !== undefined && <p class="hint">{about}</p>}
      {part !== undefined && part.problem !== "" && <p class="problem">{part.problem}</p>}
      {children}
    </section>
  );
}
