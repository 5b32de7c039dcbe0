/**
 * Measures one case in this process and prints it as JSON; the table starts a process for each.
 *
 * `deno run -A bench/hooks/case.ts <case>` prints `{ ns, floor, ratio }`; with `--bytes` (and
 * `--v8-flags=--expose-gc`) it prints `{ bytes }`; `--list` prints the names of the cases.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { bytesPerEvent } from "./bytes.ts";
import {
  type Case,
  classes,
  emptyStage,
  everyTenth,
  functions,
  noneDue,
  oneShape,
} from "./cases.ts";
import { DISPATCH } from "./dispatch.ts";
import { peerCase, PEERS } from "./peers.ts";
import { measure } from "./slices.ts";

/** All cases, by name. */
export const CASES: Readonly<Record<string, () => Case | Promise<Case>>> = {
  "empty stage": emptyStage,
  "none due": noneDue,
  "one shape": oneShape,
  "classes": classes,
  "functions": functions,
  "every tenth": everyTenth,
  ...Object.fromEntries(Object.keys(PEERS).map((name) => [name, () => peerCase(name)])),
  ...DISPATCH,
};

if (import.meta.main) {
  const { _: [name], bytes, list } = parseArgs(Deno.args, {
    boolean: ["bytes", "list"],
    string: "_",
  });
  if (list) console.log(Object.keys(CASES).join("\n"));
  else {
    const make = CASES[String(name)];
    if (make === undefined) {
      throw new RangeError(`Cannot measure "${name}" as there is no such case`);
    }
    const measured = await make();
    measured.check();
    const result = bytes
      ? { bytes: Math.max(...measured.contender.map(bytesPerEvent)) }
      : measure(measured.floor, measured.contender);
    measured.check();
    measured.finish?.();
    console.log(JSON.stringify(result));
  }
}
