// SPDX-License-Identifier: Apache-2.0

/**
 * Runs the newest of many tasks: each new one aborts the one before. The first runs at once; those that
 * follow within `gap` milliseconds of a start wait for its end, so that a moving slider does not open a
 * connection for every pixel.
 */
export class Latest {
  private controller: AbortController | null = null;
  private timer = 0;
  private started = -Infinity;

  constructor(private readonly gap: number) {}

  run(task: (signal: AbortSignal) => Promise<void>, delay = 0): void {
    this.stop();
    const wait = Math.max(delay, this.started + this.gap - performance.now());
    const start = (): void => {
      this.started = performance.now();
      this.controller = new AbortController();
      void task(this.controller.signal);
    };
    if (wait <= 0) start();
    else this.timer = window.setTimeout(start, wait);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.controller?.abort();
    this.controller = null;
  }
}
