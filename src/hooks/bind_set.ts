/**
 * An overload set as a hook: which of its rows applies at a stage.
 *
 * @module
 */

import type { Test } from "../dispatch/matcher.ts";
import type { OverloadTable } from "../dispatch/overload.ts";
import { findRow, type Row } from "../dispatch/rows.ts";
import type { StageInfo } from "./stage.ts";
import { type Bound, lift } from "./target.ts";

/** The row for (ctx, stage), found now unless a guard would have to be asked each time. */
export function bindSet(
  set: unknown,
  { rows, fallback }: OverloadTable,
  info: StageInfo,
  ctx: object,
): Bound | undefined {
  const args = [ctx, info.stage];
  const candidates = rows.filter(({ tests }) => tests.length === 2 && mayClaim(tests[1]!, info));
  const guarded = candidates.some(({ tests }) => tests[0]!.type === "guard");
  const row = guarded
    ? candidates.find((row) => findRow([{ ...row, tests: [ANY, row.tests[1]!] }], args))
    : findRow(candidates, args);
  if (row !== undefined) {
    return {
      target: lift(guarded ? set : row.handler),
      matched: guarded ? "by guard at each call" : row.label,
    };
  }
  return fallback !== undefined && info.role === "observe" && !handles(rows, info.kind)
    ? { target: lift(fallback), matched: "otherwise" }
    : undefined;
}

const ANY: Test = { type: "any" };

function handles(rows: readonly Row[], kind: string): boolean {
  return rows.some(({ tests }) => {
    const test = tests[1];
    return test?.type === "kind"
      ? test.kind === kind
      : test?.type === "literal" && String(test.value).startsWith(`${kind}/`);
  });
}

// A row for a whole kind observes; only one that names the stage may pipe, vote or replace.
function mayClaim(test: Test, { role, stage }: StageInfo): boolean {
  return role === "observe" || (test.type === "literal" && test.value === stage);
}
