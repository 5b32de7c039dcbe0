// Plots of scalars: positions of points and ticks, labels, and values that are left out.
import {
  assert,
  assertAlmostEquals,
  assertEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { plot, type PlotOptions, ScalarHistory } from "../../src/observe/mod.ts";
import { axisFor } from "../../src/observe/plot/plot_axis.ts";

function historyOf(scalars: Readonly<Record<string, readonly number[]>>, every = 1): ScalarHistory {
  const history = new ScalarHistory();
  for (const [name, values] of Object.entries(scalars)) {
    for (const [i, value] of values.entries()) {
      history.add({ step: every * i, scalars: { [name]: value } });
    }
  }
  return history;
}

/** Points of each line, by the class of its color. */
function pointsOf(svg: string): [string, number[][]][] {
  return [...svg.matchAll(/<polyline class="line ([^"]+)" points="([^"]+)"/g)].map((
    [, style, text],
  ) => [
    style!,
    text!.split(" ").map((point) => point.split(",").map(Number)),
  ]);
}

/** Labels of the ticks of an axis, and their positions. */
function ticksOf(svg: string, style: "end" | "middle"): [string, number, number][] {
  const all = svg.matchAll(
    new RegExp(`<text class="tick ${style}" x="([^"]+)" y="([^"]+)">([^<]*)`, "g"),
  );
  return [...all].map(([, x, y, label]) => [label!, Number(x), Number(y)]);
}

Deno.test("points agree with the ticks on both axes", () => {
  const svg = plot({ history: historyOf({ x: [0, 10, 40], y: [5, 5, 20] }, 50) });
  const across = ticksOf(svg, "middle"), up = ticksOf(svg, "end");
  assertEquals(across.map(([label]) => label), ["0", "20", "40", "60", "80", "100", "step"]);
  assertEquals(up.map(([label]) => label), ["0", "10", "20", "30", "40"]);
  const xOf = (label: string) => across.find(([other]) => other === label)![1];
  const yOf = (label: string) => up.find(([other]) => other === label)![2] - 4; // baseline of the text
  const lines = pointsOf(svg);
  assertEquals(lines.map(([style]) => style), ["c0", "c1"]);
  const wanted = [[xOf("0"), yOf("0")], [(xOf("40") + xOf("60")) / 2, yOf("10")], [
    xOf("100"),
    yOf("40"),
  ]];
  for (const [i, [x, y]] of lines[0]![1].entries()) {
    assertAlmostEquals(x!, wanted[i]![0]!, 0.11);
    assertAlmostEquals(y!, wanted[i]![1]!, 0.11);
  }
  assertAlmostEquals(lines[1]![1][2]![1]!, yOf("20"), 0.11);
});

Deno.test("the horizontal axis has the unit that is asked for", () => {
  const history = historyOf({ x: [0, 10, 40] }, 50);
  const svg = plot({ history }, { x: { label: "time, ps", perStep: 0.004 } });
  const labels = ticksOf(svg, "middle").map(([label]) => label);
  assertEquals(labels, ["0", "0.1", "0.2", "0.3", "0.4", "time, ps"]);
  assertEquals(pointsOf(svg)[0]![1], pointsOf(plot({ history }))[0]![1]);
  const wrong = { x: { label: "time", perStep: 0 } };
  assertThrows(() => plot({ history }, wrong), TypeError, "perStep above 0");
});

Deno.test("on a log scale decades are equally far apart, and values that are not above 0 are left out", () => {
  const history = historyOf({ loss: [100, 10, 0, 0.1, -1, 0.001, 0.001] });
  const svg = plot({ history }, { scale: "log" });
  assertEquals(ticksOf(svg, "end").map(([label]) => label), [
    "0.001",
    "0.01",
    "0.1",
    "1",
    "10",
    "100",
  ]);
  assertEquals(pointsOf(svg).map(([, points]) => points.length), [2, 2]);
  assertEquals((svg.match(/<circle/g) ?? []).length, 1);
  const [[, [first, second]]] = pointsOf(svg) as [[string, [number[], number[]]]];
  const [, , top] = ticksOf(svg, "end").at(-1)!, [, , below] = ticksOf(svg, "end").at(-2)!;
  assertAlmostEquals(second[1]! - first[1]!, below - top, 0.2);
});

Deno.test("ticks are 1, 2 or 5 times a power of ten, and their labels are distinct", () => {
  const labels = (values: number[], scale: "linear" | "log" = "linear") =>
    axisFor(values, { scale, ticks: 5 }).labels;
  assertEquals(labels([-2.4811, -2.479]), [
    "−2.4815",
    "−2.4810",
    "−2.4805",
    "−2.4800",
    "−2.4795",
    "−2.4790",
  ]);
  assertEquals(
    labels([0, 1e-7]),
    ["0", "2e−8", "4e−8", "6e−8", "8e−8", "1e−7"],
  );
  assertEquals(labels([0, 43_000]), ["0", "10k", "20k", "30k", "40k", "50k"]);
  assertEquals(labels([3, 3]), ["2.8", "2.9", "3.0", "3.1", "3.2"]);
  assertEquals(labels([0, 0]), ["−1.0", "−0.5", "0", "0.5", "1.0"]);
  assertEquals(labels([2, 30], "log"), ["1", "2", "5", "10", "20", "50", "100"]);
  for (
    const values of [[1, 1.0000001], [-1e12, 1e12], [5e-324, 1e-300], [1e299, 1.1e299], [NaN], [], [
      1.7e308,
    ]]
  ) {
    const { ticks, labels } = axisFor(values, { scale: "linear", ticks: 5 });
    assert(ticks.length > 1 && ticks.length < 20, `${values}: ${labels}`);
    assertEquals(new Set(labels).size, labels.length, `${values}: ${labels}`);
  }
});

Deno.test("the file is XML for any names of scalars", () => {
  const name = `</text><script>&"'\x07`;
  const svg = plot({ history: historyOf({ [name]: [1, 2] }) }, { title: name });
  assertStringIncludes(svg, "&lt;/text&gt;&lt;script&gt;&amp;&quot;&#39;�");
  assert(!svg.includes("<script"));
});

Deno.test("a line is interrupted at values that are not finite; a single point is a dot", () => {
  const svg = plot({ history: historyOf({ x: [1, 2, NaN, 3, Infinity, 4, 5] }) });
  assertEquals(pointsOf(svg).map(([, points]) => points.length), [2, 2]);
  assertEquals((svg.match(/<circle/g) ?? []).length, 1);
});

Deno.test("unknown scalars and wrong options are refused by name", () => {
  const history = historyOf({ fmax: [1] });
  const refused = (options: unknown, error: typeof RangeError | typeof TypeError, text: string) =>
    assertThrows(() => plot({ history }, options as PlotOptions), error, text);
  refused(
    { scalars: ["fmx"] },
    RangeError,
    'in the run (fmax); got "fmx"; did you mean fmax?',
  );
  refused({ scalars: [] }, TypeError, "scalars must be a list of names");
  refused({ scale: "sqrt" }, TypeError, 'scale must be "linear" or "log"');
  refused({ width: 10 }, RangeError, "width must be 160 or more");
  refused({ color: 1 }, TypeError, "color");
  assertThrows(() => plot({ history: new ScalarHistory() }), RangeError, "the run has no scalars");
});
