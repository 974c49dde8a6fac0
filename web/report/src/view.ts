// SPDX-License-Identifier: Apache-2.0
// The data as the figures want them: what is shown now, with its dataset, noise and series.
import { at, type Configuration, type Dataset, type Experiment, type Noise } from "./data";
import { makeSeries, type Series } from "./series";

/** The numbers that a measured configuration and a published one have in common. */
export interface Numbers {
  validity?: number | null | undefined;
  l1_mean?: number | null | undefined;
  l1_sd?: number | null | undefined;
  rate_mean?: number | null | undefined;
  rate_sd?: number | null | undefined;
  rate_above_target?: number | null | undefined;
}

/** One configuration, or one published one, with what its indices mean. */
export interface Point {
  dataset: Dataset;
  noise: Noise;
  series: Series;
  target: number | null;
  count: number | null;
  numbers: Numbers;
  /** Null for published points, of which nothing more is known. */
  configuration: Configuration | null;
}

/** What the controls choose. */
export interface Choice {
  hidden: ReadonlySet<number>;
  published: boolean;
}

/** Names of the facets, in the order of the data. */
export interface Facets {
  columns: string[];
  rows: string[];
}

export class View {
  readonly series: Series[];
  private readonly own: Point[];
  private readonly publishedPoints: Point[];

  constructor(
    readonly data: Experiment,
    private choice: Choice = { hidden: new Set(), published: false },
  ) {
    const { own, published } = makeSeries(data);
    this.series = [...own, ...published.values()];
    this.own = data.configurations.map((item) => ({
      dataset: at(data.datasets, item.dataset),
      noise: at(data.noises, item.noise),
      series: at(own, item.method),
      target: at(data.methods, item.method).has_target ? (item.target ?? null) : null,
      count: item.advised,
      numbers: item,
      configuration: item,
    }));
    this.publishedPoints = (data.published ?? []).flatMap((item) => {
      const series = published.get(item.method_name);
      if (series === undefined) return [];
      return {
        dataset: at(data.datasets, item.dataset),
        noise: at(data.noises, item.noise),
        series,
        target: item.target ?? null,
        count: item.n ?? null,
        numbers: item,
        configuration: null,
      };
    });
  }

  choose(choice: Choice): void {
    this.choice = choice;
  }

  private shows(series: Series): boolean {
    if (series.published && !this.choice.published) return false;
    return series.method === null || !this.choice.hidden.has(series.method);
  }

  /** Measured points of the shown methods. */
  points(): Point[] {
    return this.own.filter((point) => this.shows(point.series));
  }

  /** Published points of the shown methods; none while the switch is off. */
  published(): Point[] {
    return this.publishedPoints.filter((point) => this.shows(point.series));
  }

  /** Every measured point, shown or not. */
  all(): Point[] {
    return this.own;
  }

  get hasPublished(): boolean {
    return this.publishedPoints.length > 0;
  }

  /** Datasets and noises that the data have results for, whatever is shown: facets stay put. */
  facets(): Facets {
    const datasets = new Set(this.own.map((point) => point.dataset.name));
    const noises = new Set(this.own.map((point) => point.noise.name));
    return {
      columns: this.data.datasets.map((item) => item.name).filter((name) => datasets.has(name)),
      rows: this.data.noises.map((item) => item.name).filter((name) => noises.has(name)),
    };
  }
}

/** The series among these points, measured ones first. */
export function seriesOf(points: readonly Point[]): Series[] {
  const seen = new Set(points.map((point) => point.series));
  return [...seen].sort(
    (a, b) => Number(a.published) - Number(b.published) || (a.method ?? 99) - (b.method ?? 99),
  );
}

/** "Adult, variance 0.01" */
export function place(point: Point): string {
  return `${point.dataset.label}, ${point.noise.label}`;
}

/** Where a number is: the first columns of every CSV. */
export const kPlaceColumns = ["dataset", "noise", "method", "source", "target"];
export function placeCells(point: Point): (string | number | null)[] {
  const { dataset, noise, series, target } = point;
  const source = series.published ? "published" : "measured";
  return [dataset.name, noise.name, series.name, source, target];
}
