/**
 * Grouping of scalars into charts, as in reports.
 *
 * @module
 */

import { reportPlots } from "../../../config/report/report_plots.ts";
import { DRIFT } from "../data/run_model.ts";
import type { Series } from "../data/series.ts";

/** A chart of scalars. */
export interface ChartSpec {
  /** Identifies the chart among those of a run. */
  readonly id: string;
  /** Title with the unit. */
  readonly title: string;
  /** Names of the scalars. */
  readonly names: readonly string[];
  readonly scale: "linear" | "log";
}

/** Pattern of the times of stages, ms per step. */
const STAGE_TIME = /^(stage_ms|time_ms)\//;

/** Returns the charts of a run. Scalars with a single point have none yet. */
export function chartGroups(series: ReadonlyMap<string, Series>): readonly ChartSpec[] {
  const shown = [...series].filter(([, { length }]) => length > 1).map(([name]) => name);
  const stages = shown.filter((name) => STAGE_TIME.test(name));
  const names = shown.filter((name) => !STAGE_TIME.test(name) && name !== DRIFT);
  // The grouping looks only at whether values are finite, positive and constant, so the extremes are enough.
  const plots = reportPlots({
    names: () => names,
    series: (name) => {
      const { range, steps } = series.get(name)!;
      return { steps: [steps[0]!, steps.at(-1)!], values: [...range] };
    },
  });
  const charts = plots.map(({ name, title, scalars, scale }): ChartSpec => ({
    id: name,
    title,
    names: scalars,
    scale,
  }));
  if (shown.includes(DRIFT)) {
    const after = charts.findLastIndex(({ id }) => /energy$/.test(id)) + 1;
    const title = "Change of the total energy since the first step, eV";
    charts.splice(after, 0, { id: "drift", title, names: [DRIFT], scale: "linear" });
  }
  if (stages.length > 0) {
    charts.push({ id: "stages", title: "Time by stage, ms", names: stages, scale: "linear" });
  }
  return charts;
}

/** Returns the name of a scalar within its chart: the last part if all begin alike. */
export function shortName(name: string, { names }: ChartSpec): string {
  const slash = name.lastIndexOf("/") + 1;
  const isAlike = slash > 0 && names.every((other) => other.startsWith(name.slice(0, slash)));
  return (isAlike && names.length > 1 ? name.slice(slash) : name).replaceAll("_", " ");
}
