// What the page keeps of a run, and what it draws of it: without a browser.
import { assert, assertEquals } from "@std/assert";
import { chartData } from "../../src/page/app/charts/chart_data.ts";
import { chartGroups, shortName } from "../../src/page/app/charts/chart_groups.ts";
import { arranged } from "../../src/page/app/data/arranged.ts";
import { FrameFinder } from "../../src/page/app/data/frame_finder.ts";
import { linesOf } from "../../src/page/app/data/lines.ts";
import { Pace } from "../../src/page/app/data/pace.ts";
import { applyEvent, DRIFT, emptyModel } from "../../src/page/app/data/run_model.ts";
import { Series } from "../../src/page/app/data/series.ts";
import { bytesText, countText, durationText, numberText } from "../../src/page/app/format.ts";
import { settingsOf } from "../../src/page/app/panels/config_panel.ts";
import type { FrameSource, StructureRow } from "../../src/page/protocol.ts";

function seriesOf(points: number, value: (step: number) => number): Series {
  const series = new Series();
  for (let step = 0; step < points; step++) series.add(step, value(step));
  return series;
}

Deno.test("an outline of a million points has their extremes, and few points", () => {
  const points = 1_000_000;
  const series = seriesOf(points, (step) => step === 333_333 ? 9 : step === 777_777 ? -9 : 0);
  const outline = series.outline(0, points, 400);
  assert(outline.length <= 802, `${outline.length} points`);
  assert(outline.includes(333_333) && outline.includes(777_777), "an extreme is missing");
  assertEquals([outline[0], outline.at(-1)], [0, points - 1]);
  assert(outline.every((index, i) => i === 0 || index > outline[i - 1]!), "not in order");
});

Deno.test("an outline of a part has the extremes of the part alone, with and without whole blocks", () => {
  const series = seriesOf(10_000, (step) => Math.sin(step) + (step === 5000 ? 5 : 0));
  for (const [from, to] of [[100, 9_900], [1, 4_999], [4_990, 5_010], [7, 8]] as const) {
    const values = (indices: readonly number[]) => indices.map((index) => series.values[index]!);
    const all = values(Array.from({ length: to - from }, (_, i) => from + i));
    const some = values(series.outline(from, to, 50));
    assertEquals([Math.min(...some), Math.max(...some)], [Math.min(...all), Math.max(...all)]);
  }
});

Deno.test("a point at an earlier step replaces the points from there on, in outlines too", () => {
  const series = seriesOf(1000, (step) => step === 900 ? 50 : 0);
  series.add(500, 7);
  assertEquals([series.length, series.last, series.steps.at(-1)], [501, 7, 500]);
  for (let step = 501; step < 1000; step++) series.add(step, 1);
  const values = series.outline(0, series.length, 10).map((index) => series.values[index]!);
  assertEquals(Math.max(...values), 7);
  assertEquals([series.nearest(-5), series.nearest(500.4), series.nearest(1e9)], [0, 500, 999]);
});

Deno.test("charts of different steps have all their points, and gaps where one has none", () => {
  const a = new Series(), b = new Series();
  for (const step of [0, 10, 20]) a.add(step, step);
  for (const step of [0, 20]) b.add(step, -step);
  const options = { view: undefined, width: 100, perStep: 0.5, isLog: false };
  assertEquals(chartData([a, b], options), [[0, 5, 10], [0, 10, 20], [-0, null, -20]]);
  const view = { from: 11, to: 15 };
  assertEquals(chartData([a], { ...options, view }), [[5, 10], [10, 20]], "one more at each side");
  assertEquals(chartData([a], { ...options, isLog: true })[1], [null, 10, 20]);
});

Deno.test("events of a run add up to its model, and a reset forgets it", () => {
  const model = emptyModel();
  const names = ["energy/total", "temperature"];
  applyEvent(model, { type: "scalars", names, rows: [[0, -10, 40], [10, -10.5, null]] });
  applyEvent(model, { type: "scalars", names, rows: [[20, -9.5, 42]] });
  assertEquals([...model.series.get("temperature")!.steps], [0, 20]);
  assertEquals([...model.series.get(DRIFT)!.values], [0, -0.5, 0.5]);
  // The run was resumed from step 10.
  applyEvent(model, { type: "scalars", names, rows: [[10, -8, 41]] });
  assertEquals([...model.series.get(DRIFT)!.values], [0, 2]);
  assertEquals([...model.series.get("temperature")!.values], [40, 41]);
  for (let i = 0; i < 3; i++) applyEvent(model, { type: "warning", message: "hot", step: i });
  assertEquals([...model.warnings.values()], [{ message: "hot", step: 2, count: 3 }]);
  const row: StructureRow = { name: "a", status: "not converged" };
  applyEvent(model, { type: "structures", rows: [row] });
  applyEvent(model, { type: "structures", rows: [{ ...row, status: "converged" }] });
  assertEquals([...model.structures.values()].map(({ status }) => status), ["converged"]);
  assertEquals(applyEvent(model, { type: "behind" }), "reset");
  assertEquals([model.series.size, model.warnings.size, model.structures.size], [0, 0, 0]);
});

Deno.test("scalars are grouped as in the report, with the drift after the energies", () => {
  const model = emptyModel();
  const names = [
    "energy",
    "energy/total",
    "energy/kinetic",
    "temperature",
    "fmax",
    "train/loss",
    "my metric",
  ];
  const rows = [0, 1].map((step) => [step, -1 - step, -2 + step, 1, 300, 0.1, 0.5, step]);
  applyEvent(model, { type: "scalars", names, rows });
  const groups = chartGroups(model.series);
  assertEquals(groups.map(({ id, scale }) => `${id} ${scale}`), [
    "loss log",
    "energy linear",
    "kinetic_energy linear",
    "drift linear",
    "fmax log",
    "temperature linear",
    "my_metric linear",
  ]);
  const energy = groups.find(({ id }) => id === "energy")!;
  assertEquals(energy.names.map((name) => shortName(name, energy)), ["energy", "energy/total"]);
});

Deno.test("structures are filtered and sorted, and those without a value come last", () => {
  const rows: StructureRow[] = [
    { name: "set.xyz:10", status: "converged", energy: -3, atoms: 1 },
    { name: "set.xyz:9", status: "failed", reason: "not finite" },
    { name: "other.xyz:1", status: "converged", energy: -8, atoms: 4 },
  ];
  const names = (order: Parameters<typeof arranged>[1], text = "", status = "all") =>
    arranged(rows, order, { text, status }).map(({ name }) => name);
  assertEquals(names({ column: "name", isDescending: false }), [
    "other.xyz:1",
    "set.xyz:9",
    "set.xyz:10",
  ]);
  assertEquals(names({ column: "perAtom", isDescending: false }), [
    "set.xyz:10",
    "other.xyz:1",
    "set.xyz:9",
  ]);
  assertEquals(names({ column: "energy", isDescending: true }), [
    "set.xyz:10",
    "other.xyz:1",
    "set.xyz:9",
  ]);
  assertEquals(names({ column: "name", isDescending: false }, "SET finite"), ["set.xyz:9"]);
  assertEquals(names({ column: "name", isDescending: false }, "", "converged").length, 2);
});

Deno.test("the frame of a step is found with few reads, in even and uneven trajectories", async () => {
  for (const stepOf of [(i: number) => 100 * i, (i: number) => i * i]) {
    let reads = 0;
    const source: FrameSource = {
      length: 1000,
      frame(index) {
        reads++;
        return Promise.resolve({
          step: stepOf(index),
          numbers: new Uint8Array(0),
          positions: new Float32Array(0),
        });
      },
    };
    const finder = new FrameFinder(source);
    assertEquals(await finder.indexOf(5), undefined);
    finder.expect(1000, stepOf(999));
    for (const index of [0, 1, 500, 998, 999]) {
      assertEquals(await finder.indexOf(stepOf(index) + 0.2), index);
    }
    assert(reads < 60, `${reads} reads`);
  }
});

Deno.test("lines are put together from any pieces, with letters of several bytes", async () => {
  const bytes = new TextEncoder().encode('{"Å":1}\n\n{"b":2}\nlast');
  for (const size of [1, 2, 7, 100]) {
    const parts = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, i) => bytes.slice(i * size, (i + 1) * size),
    );
    const lines = await Array.fromAsync(linesOf(ReadableStream.from(parts)));
    assertEquals(lines, ['{"Å":1}', '{"b":2}', "last"]);
  }
});

Deno.test("the speed is that of the last half minute, and begins anew after a pause", () => {
  const pace = new Pace();
  for (let t = 0; t <= 100; t++) pace.see(t < 50 ? 10 * t : 500 + 20 * (t - 50), t);
  assertEquals(Math.round(pace.rate!), 20);
  pace.see(undefined, 101);
  pace.see(1500, 200);
  assertEquals(pace.rate, undefined);
});

Deno.test("numbers, sizes, times and settings are written for people", () => {
  assertEquals(
    [numberText(-0.00012345), numberText(12345.678), numberText(NaN), numberText(-Infinity)],
    ["−1.234e−4", "12345.7", "–", "−∞"],
  );
  assertEquals([countText(1234567), countText(999)], ["1\u2009234\u2009567", "999"]);
  assertEquals([bytesText(999), bytesText(1234), bytesText(5e7)], ["999 B", "1.2 kB", "50 MB"]);
  assertEquals([durationText(59), durationText(3700), durationText(90_000)], [
    "59 s",
    "1 h 1 min",
    "1 d 1 h",
  ]);
  assertEquals(settingsOf({ a: { b: { c: { d: 1 } } }, list: [1, 2], none: null }), [
    ["a.b.c", '{"d":1}'],
    ["list", "[1,2]"],
    ["none", "–"],
  ]);
});
