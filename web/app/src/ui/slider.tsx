// SPDX-License-Identifier: Apache-2.0
import { useId } from "preact/hooks";

interface SliderProps {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  /** The value in words, for eyes and for screen readers. */
  text: string;
  hint?: string;
  /** The label is said, but stands in the head of a column already. */
  quiet?: boolean;
  change: (value: number) => void;
}

/** A slider with its name before it and its value in words behind it. */
export function Slider({ label, value, min, max, step, text, hint, quiet, change }: SliderProps) {
  const id = useId();
  return (
    <div class={quiet ? "slider quiet" : "slider"}>
      <label for={id} class={quiet ? "unseen" : ""}>
        {label}
      </label>
      <output for={id}>{text}</output>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={text}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={(event) => change(Number(event.currentTarget.value))}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface StopsProps extends Pick<SliderProps, "label" | "hint" | "text"> {
  stops: readonly number[];
  value: number;
  change: (value: number) => void;
}

/** A slider over given values. */
export function StopSlider({ stops, value, change, ...rest }: StopsProps) {
  return (
    <Slider
      {...rest}
      min={0}
      max={stops.length - 1}
      step={1}
      value={nearestStop(stops, value)}
      change={(index) => change(stops[index] ?? value)}
    />
  );
}

/** The place of the stop that is nearest in proportion. */
export function nearestStop(stops: readonly number[], value: number): number {
  const distance = (stop: number): number => Math.abs(Math.log(stop / value));
  return stops.reduce(
    (best, stop, i) => (distance(stop) < distance(stops[best] ?? 1) ? i : best),
    0,
  );
}
