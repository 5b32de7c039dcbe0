/** Shared parts of the tests of modifiers. */
import { assertEquals } from "@std/assert";
import type { Batch } from "../../src/batch/mod.ts";
import { Dynamics, type DynamicsOptions, type Integrator } from "../../src/dynamics/mod.ts";
import { hook } from "../../src/hook.ts";
import { bitsOf, MOVING } from "../dynamics/atoms.ts";

/**
 * A modifier that does nothing: placed first, it makes the engine call all modifiers instead of running them itself.
 */
export function visit(): ReturnType<typeof hook> {
  return hook({
    name: "visit",
    frequency: 1,
    writes: ["velocities"],
    on: { dynamics: { "*": (_ctx, _stage) => {} } },
  });
}

/** An engine with any hooks. */
export function engine(
  integrator: Integrator,
  options: { readonly [K in keyof DynamicsOptions]?: unknown } & {
    readonly model: unknown;
    readonly hooks: readonly object[];
  },
): Dynamics {
  const { hooks, ...rest } = options;
  const md = new Dynamics(integrator, rest as unknown as DynamicsOptions);
  for (const one of hooks) md.hooks.add(one as never);
  return md;
}

/**
 * Runs the same with multi-step calls, with modifiers called in each step, with observers, in two pieces and from a
 * checkpoint, with new hooks each time. Throws unless all end with the same bits. Returns the batch.
 */
export async function sameHowever(
  { make, batch, steps }: {
    make(more: readonly object[]): Dynamics;
    batch(): Batch;
    steps: number;
  },
): Promise<Batch> {
  const names = [...MOVING, "cell", "images"] as const;
  const look = () =>
    hook({ name: "look", reads: ["energy"], on: { dynamics: { AFTER_STEP: () => {} } } });
  await using plain = make([]);
  const first = await plain.run(batch(), steps);
  const bits = bitsOf(first, undefined, names);
  for (const more of [[visit()], [look()], [visit(), look()]]) {
    await using md = make(more);
    const again = await md.run(batch(), steps);
    assertEquals(bitsOf(again, undefined, names), bits, more.map(({ name }) => name).join());
  }
  const half = Math.floor(steps / 2);
  await using pieces = make([]);
  const cut = await pieces.run(batch(), half);
  const saved = structuredClone(await pieces.save());
  await pieces.run(cut, steps - half);
  assertEquals(bitsOf(cut, undefined, names), bits, "in two pieces");
  await using later = make([]);
  const loaded = await later.run(await later.load(saved), steps - half);
  assertEquals(bitsOf(loaded, undefined, names), bits, "from a checkpoint");
  return first;
}
