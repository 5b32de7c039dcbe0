/**
 * Grouping of the scalars of a run into plots.
 *
 * @module
 */

import type { ScalarHistory } from "../../observe/mod.ts";

/** One plot of a report. */
export interface ReportPlot {
  /** File name without extension. */
  readonly name: string;
  /** Title above the plot. */
  readonly title: string;
  /** Names of the scalars to plot. */
  readonly scalars: readonly string[];
  /** Scale of the values. */
  readonly scale: "linear" | "log";
}

interface Group {
  readonly name: string;
  readonly title: string;
  readonly fits: RegExp;
  /** Uses a log scale if all values are above 0. */
  readonly isLog?: boolean;
}

/** Name of the plot of converged systems. The plot is left out if its values are constant. */
const CONVERGED = "converged";
const GROUPS: readonly Group[] = [
  { name: "loss", title: "Loss", fits: /^(loss|(train|val)\/loss)(\/|$)/, isLog: true },
  { name: "learning_rate", title: "Learning rate", fits: /^optimizer\/.*\/lr$/ },
  { name: "energy", title: "Energy, eV", fits: /^energy(\/(max|total))?$/ },
  // Apart from the others, which are so far away from it that all lines would be flat.
  { name: "kinetic_energy", title: "Kinetic energy, eV", fits: /^energy\/kinetic$/ },
  { name: "fmax", title: "Largest force, eV/Å", fits: /^fmax(\/max)?$/, isLog: true },
  { name: "temperature", title: "Temperature, K", fits: /^temperature(\/max)?$/ },
  { name: "pressure", title: "Pressure, GPa", fits: /^pressure_GPa$/ },
  { name: "volume", title: "Volume, Å³", fits: /^volume_A3$/ },
  {
    name: CONVERGED,
    title: "Converged and active fractions",
    fits: /^(converged|active)_fraction$/,
  },
];
const SPEED: Group = { name: "speed", title: "Steps per second", fits: /\/steps_per_s$/ };
/** Pattern of scalars that only count progress. They are not plotted. */
const PROGRESS = /^(dynamics|training)\//;

/**
 * Returns the plots of a run. Related scalars share a plot, and a training metric shares its plot with the validation
 * metric of the same name.
 */
export function reportPlots(history: Pick<ScalarHistory, "names" | "series">): ReportPlot[] {
  const names = history.names().filter((name) => {
    const { steps, values } = history.series(name);
    return steps.length > 1 && values.some(Number.isFinite);
  });
  const grouped = new Set<string>();
  const plotsOf = ({ fits, isLog = false, ...group }: Group): ReportPlot[] => {
    const scalars = names.filter((name) => fits.test(name) && !grouped.has(name));
    for (const name of scalars) grouped.add(name);
    const isFlat = group.name === CONVERGED && scalars.every((name) => isConstant(history, name));
    if (scalars.length === 0 || isFlat) return [];
    const isAbove = scalars.every((name) =>
      history.series(name).values.every((value) => !(value <= 0))
    );
    return [{ ...group, scalars, scale: isLog && isAbove ? "log" : "linear" }];
  };
  const known = GROUPS.flatMap(plotsOf);
  const speed = plotsOf(SPEED); // taken before the custom metrics, but shown after them
  const others = names.filter((name) => !grouped.has(name) && !PROGRESS.test(name));
  const metrics = new Set(others.map((name) => name.replace(/^(train|val)\//, "")));
  const own = [...metrics].flatMap((metric) =>
    plotsOf({
      name: metric.replace(/[^A-Za-z0-9_]+/g, "_"),
      title: metric,
      fits: new RegExp(`^((train|val)/)?${metric.replace(/[^\w/]/g, "\\$&")}$`),
    })
  );
  return named([...known, ...own, ...speed]);
}

/**
 * Returns plots with unique file names: repeated names get a number. Names repeat if titles differ only in characters
 * that file names cannot contain.
 */
function named(plots: readonly ReportPlot[]): ReportPlot[] {
  const used = new Set<string>();
  return plots.map((plot) => {
    let name = plot.name;
    for (let n = 2; used.has(name); n++) name = `${plot.name}_${n}`;
    used.add(name);
    return { ...plot, name };
  });
}

function isConstant(history: Pick<ScalarHistory, "series">, name: string): boolean {
  const { values } = history.series(name);
  return values.every((value) => value === values[0]);
}
