// SPDX-License-Identifier: Apache-2.0

const kSide = 10;
const kStep = 10;

/** A hundred cases as dots: those in which the answer stays, and the others. */
export function Hundred({ cases }: { cases: number }) {
  const stay = Math.floor(cases);
  const dots = Array.from({ length: kSide * kSide }, (_, i) => (
    <circle
      key={i}
      cx={kStep * ((i % kSide) + 0.5)}
      cy={kStep * (Math.floor(i / kSide) + 0.5)}
      r={i < stay ? 3.4 : 3}
      class={i < stay ? "stay" : "fail"}
    />
  ));
  return (
    <svg
      class="hundred"
      viewBox={`0 0 ${kSide * kStep} ${kSide * kStep}`}
      role="img"
      aria-label={`${stay} of 100 dots are filled: the cases in which the answer stays.`}
    >
      {dots}
    </svg>
  );
}
