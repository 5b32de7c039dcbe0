// Hooks that decide, and read what must be fetched first.
import { assertEquals } from "@std/assert";
import type { StateSource } from "@hooke/hooke/hooks";
import { work, WorkStage } from "./kit.ts";

/** Heights that are far away. */
function far(heights: readonly number[]): StateSource {
  return {
    fields: ["heights"],
    plan: () => ({
      live: false,
      fetch: () => Promise.resolve({ heights: Float64Array.from(heights) }),
    }),
    writable: () => heights,
  };
}

/** Contexts of the hooks of these tests. */
interface Given {
  readonly read: { readonly heights: ArrayLike<number> };
  readonly value: number;
}

function decides(stage: "AMOUNT" | "MAY_WORK" | "WORK", answer: (ctx: Given) => unknown) {
  return {
    name: stage,
    stage: WorkStage[stage],
    frequency: 1,
    reads: ["heights"] as const,
    call: (ctx: unknown) => answer(ctx as Given),
  };
}

Deno.test("a pipe, a gate and a claimant that read what is fetched have their answers taken", async () => {
  const amounts: number[] = [];
  const loop = work({ state: far([5]) });
  loop.hooks.add(decides("AMOUNT", ({ read, value }) => value + read.heights[0]!) as never);
  const claim = decides("WORK", ({ read }) => (amounts.push(1), 10 * read.heights[0]!));
  const handle = loop.hooks.add(claim as never);
  await loop.run(1);
  assertEquals([loop.context.total, amounts], [50, [1]]);
  handle.remove();
  await loop.run(1);
  assertEquals(loop.context.total, 56); // 1 and the height
  loop.hooks.add(decides("MAY_WORK", ({ read }) => read.heights[0]! > 9) as never);
  await loop.run(1);
  assertEquals(loop.context.total, 56);
});
