/**
 * Which scalars of a run are shown together.
 *
 * @module
 */

import type { ScalarHistory } from "../observe/mod.ts";

/** One picture of a report. */
export interface ReportPlot {
  /** What its file is called, without an ending. */
  readonly name: string;
  /** What stands above it. */
  readonly title: string;
  /** What it shows. */
  readonly scalars: readonly string[];
  /** How values are spread. */
  readonly scale: "linear" | "log";
}

interface Group {
  readonly name: string;
  readonly title: string;
  readonly fits: RegExp;
  /** Whether small values matter, where all are above 0. */
  readonly isLog?: boolean;
}

const GROUPS: readonly Group[] = [
  { name: "loss", title: "Loss", fits: /^(loss|(train|val)\/loss)(\/|$)/, isLog: true },
  { name: "learning_rate", title: "Learning rate", fits: /^optimizer\/.*\/lr$/ },
  { name: "energy", title: "Energy, eV", fits: /^energy(\/max)?$/ },
  { name: "fmax", title: "Largest force, eV/Å", fits: /^fmax(\/max)?$/, isLog: true },
  { name: "temperature", title: "Temperature, K", fits: /^temperature(\/max)?$/ },
  { name: "converged", title: "Parts of all systems", fits: /^(converged|active)_fraction$/ },
];
const SPEED: Group = { name: "speed", title: "Steps per second", fits: /\/steps_per_s$/ };
/** How far a run has come is no picture. */
const PROGRESS = /^(dynamics|training)\//;

/** The pictures of a run's scalars: those that belong together in one, metrics of training beside those of validation. */
export function reportPlots(history: Pick<ScalarHistory, "names" | "series">): ReportPlot[] {
  const names = history.names().filter((name) => {
    const { steps, values } = history.series(name);
    return steps.length > 1 && values.some(Number.isFinite);
  });
  const taken = new Set<string>();
  const take = ({ fits, isLog = false, ...group }: Group): ReportPlot[] => {
    const scalars = names.filter((name) => fits.test(name) && !taken.has(name));
    for (const name of scalars) taken.add(name);
    if (scalars.length === 0) return [];
    const isAbove = scalars.every((name) =>
      history.series(name).values.every((value) => !(value <= 0))
    );
    return [{ ...group, scalars, scale: isLog && isAbove ? "log" : "linear" }];
  };
  const known = GROUPS.flatMap(take);
  const speed = take(SPEED);
  const others = names.filter((name) => !taken.has(name) && !PROGRESS.test(name));
  const metrics = new Set(others.map((name) => name.replace(/^(train|val)\//, "")));
  const own = [...metrics].flatMap((metric) =>
    take({
      ...{ name: metric.replace(/[^A-Za-z0-9_]+/g, "_"), title: metric },
      fits: new RegExp(`^((train|val)/)?${metric.replace(/[^\w/]/g, "\\$&")}$`),
    })
  );
  return [...known, ...own, ...speed];
}
