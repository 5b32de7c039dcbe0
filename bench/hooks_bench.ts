/**
 * Measures the hook core and prints quick figures: `deno bench -A bench/hooks_bench.ts`. All groups run in one
 * isolate, where they share inline caches, so later groups look slower than they are alone. `deno task bench:table
 * hooks` measures the promises, each case in a separate process.
 *
 * @module
 */

import { CASES } from "./hooks/case.ts";
import type { Work } from "./hooks/slices.ts";

/** A group of cases with the same floor, and the number of events of a body. */
interface Group {
  readonly group: string;
  readonly floor: string;
  readonly cases: readonly string[];
  /** Number of events of a body, large enough that a body takes 50 µs or more. */
  readonly events: number;
}

const GROUPS: readonly Group[] = [
  {
    group: "1 stage without hooks",
    floor: "empty loop",
    cases: ["empty stage"],
    events: 200_000,
  },
  {
    group: "9 stages, 8 hooks not due",
    floor: "9 stages without hooks",
    cases: ["none due"],
    events: 12_000,
  },
  {
    group: "1 stage, 8 hooks of one shape",
    floor: "calls written out",
    cases: ["one shape"],
    events: 8_000,
  },
  {
    group: "9 stages, 8 classes, 15 calls",
    floor: "calls written out",
    cases: [
      "classes",
      "array loop",
      "tapable",
      "nanoevents",
      "typed-function",
      "eventemitter3",
      "mitt",
      "hookable",
    ],
    events: 4_000,
  },
  {
    group: "9 stages, 8 plain functions, 15 calls",
    floor: "calls written out",
    cases: ["functions"],
    events: 4_000,
  },
  {
    group: "the same, half of the classes due at each tenth step",
    floor: "calls written out, all due",
    cases: ["every tenth"],
    events: 4_000,
  },
  {
    group: "an overload set called directly, 3 kinds in turn",
    floor: "the handlers",
    cases: ["overloads 12", "typed-function 3", "typed-function 12"],
    events: 40_000,
  },
];

for (const { group, floor, cases, events } of GROUPS) {
  for (const [i, name] of cases.entries()) {
    const made = await CASES[name]!();
    made.check();
    if (i === 0) register(group, floor, made.floor, events, true);
    register(group, name, made.contender, events, false);
  }
}

function register(
  group: string,
  name: string,
  works: readonly Work[],
  events: number,
  baseline: boolean,
): void {
  const share = events / works.length;
  Deno.bench({ group, name, baseline, fn: () => works.forEach((work) => work.run(share)) });
}
