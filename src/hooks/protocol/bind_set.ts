/**
 * An overload set as a hook: which of its rows applies at a stage.
 *
 * @module
 */

import { passes, type Test } from "../../dispatch/matcher.ts";
import type { OverloadTable } from "../../dispatch/overload.ts";
import { findRow, type Handler, noOverload, type Row } from "../../dispatch/rows.ts";
import type { Role, StageInfo } from "./stage.ts";
import { type Bound, lift } from "./target.ts";

/** The row for (ctx, stage), found now unless a guard would have to be asked each time. */
export function bindSet(
  { rows, fallback }: OverloadTable,
  info: StageInfo,
  ctx: object,
): Bound | undefined {
  const candidates = rows.filter(({ tests }) => tests.length === 2 && mayClaim(tests[1]!, info));
  // Only observing everything is harmless: at other stages a row must name the stage.
  const otherwise = info.role === "observe" && !handles(rows, info.kind) ? fallback : undefined;
  if (candidates.some(({ tests }) => tests[0]!.type === "guard" && passes(tests[1]!, info.stage))) {
    return { target: lift(asking(candidates, otherwise, info)), matched: "by guard at each call" };
  }
  const row = findRow(candidates, [ctx, info.stage]);
  if (row !== undefined) return { target: lift(row.handler), matched: row.label };
  return otherwise && { target: lift(otherwise), matched: "otherwise" };
}

/** Picks the row at each call; where none takes it the hook has no say. A claimed stage must be taken. */
function asking(rows: readonly Row[], otherwise: Handler | undefined, info: StageInfo): Handler {
  const noSay: Partial<Record<Role, Handler>> = {
    observe: () => undefined,
    gate: () => true,
    pipe: value,
  };
  return (ctx: never, stage: never) => {
    const handler = findRow(rows, [ctx, stage])?.handler ?? otherwise ?? noSay[info.role];
    if (handler === undefined) throw noOverload(rows, [ctx, stage]);
    return handler(ctx, stage);
  };
}

function value(ctx: never): unknown {
  return (ctx as { readonly value: unknown }).value;
}

function handles(rows: readonly Row[], kind: string): boolean {
  return rows.some(({ tests: [, test] }) =>
    test?.type === "kind"
      ? test.kind === kind
      : test?.type === "literal" && String(test.value).startsWith(`${kind}/`)
  );
}

// A row for a whole kind observes; only one that names the stage may pipe, vote or replace.
function mayClaim(test: Test, { role, stage }: StageInfo): boolean {
  return role === "observe" || (test.type === "literal" && test.value === stage);
}
