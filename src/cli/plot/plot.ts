/**
 * The command `hooke plot`.
 *
 * @module
 */

import { writeWhole } from "../../checkpoint/mod.ts";
import { reportPlots } from "../../config/report/report_plots.ts";
import { plot } from "../../observe/plot/plot.ts";
import { barsSvg } from "../draw/bars.ts";
import { chart } from "../draw/chart.ts";
import { stacked } from "../draw/stack.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { histogram } from "../picture.ts";
import { kindOf } from "../run/path_kind.ts";
import { outcomeIn } from "../screen/outcome.ts";
import { chosenColumns, defaultColumns, isLogColumn, titleOf, unitOf } from "./columns.ts";
import { type Curves, readCurves } from "./curves.ts";
import { checkPicture } from "./picture_file.ts";
import { screeningCurves, screeningIn, stepsUntilConvergence } from "./screening.ts";
import type { PlotSettings } from "./settings.ts";

/** Width of a picture in pixels. */
const WIDTH = 720;

/** Draws the curves of runs. */
export async function plotRuns(settings: PlotSettings, run: CommandRun): Promise<number> {
  const { runs, output, quiet } = settings;
  if (runs.length === 0) {
    throw new UsageError("Cannot plot nothing: pass a run folder or a log, such as argon-md");
  }
  if (output !== undefined) await checkPicture(output, settings, run);
  else if (quiet) {
    throw new UsageError("Cannot use --quiet without --output: nothing would be drawn");
  }
  const pictures: string[] = [];
  for (const [i, path] of runs.entries()) {
    run.signal.throwIfAborted();
    if (i > 0 && output === undefined && !settings.json) run.terminal.print("");
    const svgs = await drawRun(path, settings, run);
    pictures.push(...svgs);
  }
  if (output !== undefined) {
    const svg = stacked(pictures, WIDTH, `Curves of ${runs.join(", ")}`);
    await writeWhole(output, new TextEncoder().encode(svg), "picture");
    if (!quiet && !settings.json) run.terminal.print(`Wrote ${output}`);
  }
  run.completed();
  return ExitCode.DONE;
}

/** Prints or draws the curves of a run. Returns the pictures for the file. */
async function drawRun(
  path: string,
  settings: PlotSettings,
  run: CommandRun,
): Promise<readonly string[]> {
  const folder = path.replace(/(.)[/\\]+$/, "$1");
  const results = kindOf(folder) === "folder" ? await screeningIn(folder) : undefined;
  if (results === undefined) return drawCurves(await readCurves(path), settings, run);
  const isOpen = await outcomeIn(folder) === undefined;
  if (settings.columns.length > 0) {
    return drawCurves(screeningCurves(path, results, isOpen), settings, run);
  }
  return drawHistogram(path, stepsUntilConvergence(results), isOpen, settings, run);
}

function drawHistogram(
  path: string,
  steps: readonly number[],
  isOpen: boolean,
  settings: PlotSettings,
  { terminal, program }: CommandRun,
): readonly string[] {
  if (steps.length === 0) {
    throw new UsageError(
      `Cannot plot ${path}: no structure of the screening has converged. For the others, run: ` +
        `${program} plot ${path} --columns fmax,energy`,
    );
  }
  const title = "Steps until convergence";
  if (settings.json) {
    terminal.print(
      JSON.stringify({ type: "histogram", run: path, column: "steps", values: steps }),
    );
  }
  if (settings.output !== undefined) {
    return [barsSvg(steps, { title: `${path}: ${title.toLowerCase()}`, label: "steps" })];
  }
  if (settings.json) return [];
  const width = widthOf(settings, terminal);
  terminal.print(`${path}: screening, ${steps.length} converged structures${openNote(isOpen)}`);
  terminal.print(`${title}:`);
  for (const line of histogram(steps, 2 * settings.height, width - 24)) terminal.print(`  ${line}`);
  return [];
}

function drawCurves(
  curves: Curves,
  settings: PlotSettings,
  { terminal }: CommandRun,
): readonly string[] {
  const { name, history, x, isLine, isOpen } = curves;
  const names = history.names().filter((each) => history.series(each).values.some(Number.isFinite));
  if (names.length === 0) {
    throw new UsageError(
      `Cannot plot ${name}: it has no values yet${
        openNote(isOpen) || ", because its log is empty"
      }`,
    );
  }
  const isChosen = settings.columns.length > 0;
  const columns = isChosen ? chosenColumns(settings.columns, names, "plot") : defaultColumns(names);
  const isFlat = (column: string) => !isChosen && isConstant(history.series(column).values);
  if (settings.json) {
    for (const column of columns) terminal.print(JSON.stringify(curveData(curves, column)));
  }
  if (settings.output !== undefined) {
    return pictures(curves, columns.filter((column) => !isFlat(column)), settings);
  }
  if (settings.json) return [];
  const last = Math.max(...columns.map((column) => history.series(column).steps.at(-1) ?? 0));
  terminal.print(
    `${name}: ${+(last * x.perStep).toPrecision(6)} ${x.unit}, from left to right${
      openNote(isOpen)
    }`,
  );
  const width = widthOf(settings, terminal);
  for (const column of columns) {
    const { steps, values } = history.series(column), finite = values.filter(Number.isFinite);
    const value = finite.at(-1) ?? NaN, unit = unitOf(column);
    const shown = `${+value.toPrecision(6)}${unit && ` ${unit}`}`;
    if (isFlat(column) || steps.length < 2) {
      const [title] = titleOf(column).split(", ");
      terminal.print(`${title}: ${shown}${steps.length < 2 ? "" : ", constant"}`);
      continue;
    }
    const lines = chart({
      title: `${titleOf(column)} (last ${shown})`,
      x: steps.map((step) => step * x.perStep),
      y: values,
      width,
      height: settings.height,
      isLine,
      scale: settings.scale ?? (isLogColumn(column, values) ? "log" : "linear"),
      isWhole: x.perStep === 1,
    });
    for (const line of lines) terminal.print(line);
  }
  return [];
}

function isConstant(values: readonly number[]): boolean {
  const finite = values.filter(Number.isFinite), last = finite.at(-1) ?? NaN;
  return finite.every((one) => Math.abs(one - last) <= 1e-9 * Math.abs(last));
}

/** Returns a picture for each group of related columns. */
function pictures(
  { name, history, x, isOpen }: Curves,
  columns: readonly string[],
  { scale: wanted }: PlotSettings,
): readonly string[] {
  const chosen = { names: () => [...columns], series: (each: string) => history.series(each) };
  const groups = reportPlots(chosen);
  if (groups.length === 0) {
    throw new UsageError(
      `Cannot draw ${name}: a curve needs two points${openNote(isOpen)}`,
    );
  }
  const axis = x.label === "step" ? {} : { x: { label: x.label, perStep: x.perStep } };
  return groups.map(({ title, scalars, scale }) =>
    plot({ history }, {
      title: `${name}: ${title}`,
      scalars,
      scale: wanted ?? scale,
      width: WIDTH,
      height: 300,
      ...axis,
    })
  );
}

/** Values that are not finite become null. */
function curveData({ name, history, x }: Curves, column: string): object {
  const { steps, values } = history.series(column);
  return {
    type: "curve",
    run: name,
    column,
    unit: unitOf(column),
    xLabel: x.label,
    steps,
    x: steps.map((step) => +(step * x.perStep).toPrecision(12)),
    values,
  };
}

function openNote(isOpen: boolean): string {
  return isOpen ? "; the run has not ended: it still runs, or its process was killed" : "";
}

function widthOf(
  { width }: PlotSettings,
  { progress }: CommandRun["terminal"],
): number {
  return width ?? Math.min(120, progress?.columns ?? 80);
}
