// SPDX-License-Identifier: Apache-2.0
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface ChartProps {
  /** What the picture shows, in a sentence. */
  label: string;
  draw: (width: number) => SVGElement | HTMLElement;
  /** The picture is drawn again when one of these changes. */
  inputs: readonly unknown[];
}

/** A drawing of Plot as wide as its place. */
export function Chart({ label, draw, inputs }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    setWidth(Math.floor(element.clientWidth));
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (place.current === null || width === 0) return;
    const drawing = draw(width);
    // The label of the place says it all; Plot's names of marks would only be noise.
    drawing.setAttribute("aria-hidden", "true");
    place.current.replaceChildren(drawing);
  }, [width, ...inputs]);
  return <div class="chart" ref={place} role="img" aria-label={label} />;
}
