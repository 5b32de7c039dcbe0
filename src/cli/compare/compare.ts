/**
 * The command `hooke compare`.
 *
 * @module
 */

import { writeWhole } from "../../checkpoint/mod.ts";
import { chart } from "../draw/chart.ts";
import { chosen, paritySvg } from "../draw/parity.ts";
import { stacked } from "../draw/stack.ts";
import { type CommandRun, ExitCode } from "../frame/command.ts";
import { UsageError } from "../frame/usage_error.ts";
import { checkPicture } from "../plot/picture_file.ts";
import type { Comparison } from "./comparison.ts";
import { type Pair, type Parity, parityOf } from "./pair.ts";
import type { CompareSettings } from "./settings.ts";
import { checkTolerances, isExceeded, readTolerances, toleranceOf } from "./tolerance.ts";

/** Width and height of a parity plot in pixels. */
const SIZE = 420;

/** Compares two runs, files of structures, or models. Returns the exit code. */
export async function compare(settings: CompareSettings, run: CommandRun): Promise<number> {
  checkSettings(settings);
  const { output, json, quiet } = settings, { terminal } = run;
  const tolerances = readTolerances(settings.tolerance);
  if (output !== undefined) await checkPicture(output, settings, run);
  const comparison = settings.structures.length > 0
    ? await (await import("./models.ts")).compareModels(settings, run)
    : await (await import("./runs.ts")).compareRuns(settings, run);
  const { pairs, names, notes, failsInOne = false } = comparison;
  if (pairs.length === 0) {
    throw new UsageError(
      `Cannot compare ${names.a} and ${names.b}: they have no values in common. ${notes.join(". ")}`
        .trim(),
    );
  }
  checkTolerances(tolerances, pairs.map(({ quantity }) => quantity));
  const results = pairs.map((pair) => {
    const parity = parityOf(pair), tolerance = toleranceOf(tolerances, pair.quantity);
    return { parity, tolerance, isExceeded: isExceeded(parity, tolerance) };
  });
  const exceeded = results.filter((one) => one.isExceeded);
  if (json) {
    for (const { parity, tolerance, isExceeded } of results) {
      terminal.print(
        JSON.stringify({ type: "parity", ...names, ...parity, tolerance, exceeded: isExceeded }),
      );
    }
    for (const note of notes) terminal.print(JSON.stringify({ type: "note", text: note }));
  } else {
    printTable(comparison, results.map(({ parity }) => parity), run);
    if (!quiet && output === undefined) drawPlots(comparison, run);
  }
  if (output !== undefined) {
    const plotted = pairs.filter(isPlotted);
    const pictures = (plotted.length > 0 ? plotted : pairs)
      .map((pair) => pictureOf(pair, parityOf(pair), comparison));
    const svg = stacked(pictures, SIZE, `Parity of ${names.a} and ${names.b}`);
    await writeWhole(output, new TextEncoder().encode(svg), "picture");
    if (!json && !quiet) terminal.print(`Wrote ${output}`);
  }
  for (const { parity: { quantity, unit, max, where }, tolerance } of exceeded) {
    terminal.complain(
      `${quantity} differs by ${number(max)}${
        unit && ` ${unit}`
      } (${where}), more than the tolerance of ${tolerance}`,
    );
  }
  const failsTest = failsInOne && tolerances.size > 0;
  if (failsTest) {
    terminal.complain(
      "Structures have failed in A or B alone, so that no tolerance holds for them",
    );
  }
  run.completed();
  return exceeded.length > 0 || failsTest ? ExitCode.INCOMPLETE : ExitCode.DONE;
}

function checkSettings({ pair, structures, columns, common }: CompareSettings): void {
  const wanted = structures.length > 0 ? "one or two models" : "two run folders, logs or files";
  const isRight = pair.length === 2 || pair.length === 1 && structures.length > 0;
  if (!isRight) {
    throw new UsageError(
      `Cannot compare ${pair.length === 0 ? "nothing" : pair.join(", ")}: pass ${wanted}`,
    );
  }
  if (structures.length === 0) return;
  if (columns.length > 0) throw new UsageError("Cannot use --columns: models have no columns");
  if (common) throw new UsageError("Cannot use --common: it is for logs and screenings");
}

function printTable(
  { names, of, notes }: Comparison,
  parities: readonly Parity[],
  { terminal }: CommandRun,
): void {
  terminal.print(`A: ${names.a}`);
  terminal.print(`B: ${names.b}`);
  terminal.print(`${of}; differences are B − A`);
  terminal.print("");
  const head = ["quantity", "unit", "n", "MAE", "RMSE", "max", "mean", "place of max"];
  const rows = parities.map((one) => [
    one.quantity,
    one.unit,
    String(one.n),
    ...[one.mae, one.rmse, one.max, one.bias].map(number),
    one.where,
  ]);
  const widths = head.map((title, k) =>
    Math.max(title.length, ...rows.map((row) => row[k]!.length))
  );
  const isText = (k: number) => k < 2 || k === head.length - 1;
  for (const row of [head, ...rows]) {
    const cells = row.map((cell, k) =>
      isText(k) ? cell.padEnd(widths[k]!) : cell.padStart(widths[k]!)
    );
    terminal.print(cells.join("  ").trimEnd());
  }
  for (const note of notes) terminal.complain(`Note: ${note}`);
}

/** Returns whether a plot shows more than the table. Positions and cells are all but equal on its scale. */
function isPlotted({ quantity, a, b }: Pair): boolean {
  if (/positions$|cell$/.test(quantity)) return false;
  return chosen(a, b).length > 1 && a.some((value, i) => value !== b[i]);
}

function drawPlots({ pairs }: Comparison, { terminal }: CommandRun): void {
  for (const { quantity, unit, a, b } of pairs.filter(isPlotted)) {
    const points = chosen(a, b);
    terminal.print("");
    const lines = chart({
      title: `${quantity}${
        unit && `, ${unit}`
      }: A to the right, B upwards; points on the diagonal are equal`,
      x: points.map((i) => a[i]!),
      y: points.map((i) => b[i]!),
      width: 58,
      height: 16,
      isLine: false,
      isParity: true,
    });
    for (const line of lines) terminal.print(line);
  }
}

function pictureOf({ quantity, unit, a, b }: Pair, parity: Parity, { names }: Comparison): string {
  const end = unit && ` ${unit}`;
  return paritySvg({
    title: `${quantity}${unit && `, ${unit}`}`,
    subtitle: `n ${parity.n}, MAE ${number(parity.mae)}, RMSE ${number(parity.rmse)}, max ${
      number(parity.max)
    }${end}`,
    labels: [`A: ${names.a}`, `B: ${names.b}`],
    a,
    b,
    size: SIZE,
  });
}

/** Returns a number with four digits. */
function number(value: number): string {
  return Number.isFinite(value) ? String(+value.toPrecision(4)) : "not finite";
}
