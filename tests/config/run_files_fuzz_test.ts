// Files of run folders with any damage: they are read, or refused with line or key; never a crash.
import { assert } from "@std/assert";
import fc from "fast-check";
import { parseRunLog, report } from "../../src/config/runs/mod.ts";
import { profileIn } from "../../src/config/runs/read_run.ts";
import { parseIdentity } from "../../src/config/runs/run_files.ts";
import { parseLock } from "../../src/config/runs/run_lock.ts";
import { ScalarHistory } from "../../src/observe/mod.ts";

const HOOK = { name: "log", enabled: true, stages: ["a/B"], frequency: 10, order: 0, errors: 1 };
const MOMENT = { id: "r", segment: 0, time: "2026-01-01T00:00:00.000Z", step: 3, hooks: [HOOK] };
const DEVICE = { device: "wasm", skipped: [{ device: "webgpu", reason: "slow" }] };
const LOG = [
  {
    type: "start",
    ...MOMENT,
    engine: "NVE",
    commit: "abc",
    configHash: null,
    device: DEVICE,
    versions: { hooke: "0.1.0", platform: "here" },
  },
  { type: "change", ...MOMENT, change: "disable", hook: "log" },
  {
    type: "end",
    ...MOMENT,
    outcome: { status: "stopped", reason: "enough", step: 2 },
    device: null,
  },
];
const IDENTITY = {
  schema: 1,
  id: "r",
  begun: MOMENT.time,
  configHash: "h",
  config: { dt: [1, "x"] },
};
const HOLDER = {
  schema: 1,
  pid: 7,
  host: "h",
  startTime: "9",
  since: MOMENT.time,
  heartbeat: MOMENT.time,
};
const PROFILE = [
  { engine: "e", domain: "d", from: "A", to: "B", count: 1, mean: 1, std: 0, min: 1, max: 1 },
];

/** Any value in place of another. */
function* changed(value: unknown, by: unknown): Generator<unknown> {
  yield by;
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    const rest = value as Record<string, unknown>;
    for (const other of changed(rest[key], by)) {
      yield Array.isArray(value)
        ? value.map((one, i) => String(i) === key ? other : one)
        : { ...rest, [key]: other };
    }
    if (Array.isArray(value)) continue;
    const { [key]: _, ...less } = rest;
    yield less;
  }
}

const READERS: Readonly<Record<string, [value: unknown, read: (text: string) => unknown]>> = {
  "config.json": [IDENTITY, (text) => parseIdentity(text, "F")],
  lock: [HOLDER, (text) => parseLock(`${text}\n`, "F")],
  "profile.json": [PROFILE, (text) => profileIn(text, "F")],
  "runs.jsonl, first line": [LOG[0], (text) => parseRunLog(`${text}\n`, "F")],
  "runs.jsonl, second line": [LOG[1], (text) => parseRunLog(`${text}\n`, "F")],
  "runs.jsonl, last line": [LOG[2], (text) => parseRunLog(`${text}\n`, "F")],
};

function attempt(read: (text: string) => unknown, text: string): unknown {
  try {
    return read(text);
  } catch (error) {
    const isFine = (error instanceof SyntaxError || error instanceof RangeError) &&
      /^Cannot read F/.test(error.message);
    assert(isFine, `${error} of ${text}`);
    return undefined;
  }
}

for (const [name, [value, read]] of Object.entries(READERS)) {
  Deno.test(`${name}: each member replaced or removed is refused by name, or harmless`, async () => {
    assert(attempt(read, JSON.stringify(value)) !== undefined);
    let refused = 0;
    for (const by of [null, -1, 0.5, "", "x", true, [], [[]], {}, { a: 1 }]) {
      for (const one of changed(value, by)) {
        const known = attempt(read, JSON.stringify(one));
        if (known === undefined) refused++;
        else if (name.startsWith("runs")) {
          const records = [...parseRunLog(JSON.stringify(LOG[0]) + "\n"), ...known as []];
          await report({ name, records, history: new ScalarHistory() });
        }
      }
    }
    assert(refused > 20, `${refused} were refused`);
  });

  Deno.test(`${name}: any damage of its text is refused, or harmless`, () => {
    const text = JSON.stringify(value);
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.string({ maxLength: 4 }),
        fc.nat(5),
        (at, put, gone) => {
          attempt(read, text.slice(0, at) + put + text.slice(at + gone));
        },
      ),
      { numRuns: 300, seed: 1 },
    );
  });
}
