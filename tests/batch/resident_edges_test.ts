/** Lists of edges of a batch on a backend. */
import { assert, assertEquals } from "@std/assert";
import { call, openBackend } from "../../src/backend/mod.ts";
import { Batch, fcc } from "../../src/batch/mod.ts";
import { ResidentBatch } from "../../src/batch/resident/resident_batch.ts";
import { edges as edgesKernel } from "../../src/kernels/edges/edges.ts";
import { neighbors } from "../../src/kernels/pairs/neighbors.ts";

for (const name of ["reference", "wasm"] as const) {
  Deno.test(`edges of a resident batch are made once for what is asked (${name})`, () => {
    using on = held(name);
    const { backend } = on;
    const state = new ResidentBatch(
      Batch.from([fcc({ element: "Ar", a: 5.26, cells: 2 })]),
      backend,
    );
    const pairs = state.pairs({ cutoff: 5, skin: 0.5 });
    const options = { pairs, cutoff: 4, isHalf: false, reach: 0 };
    const edges = state.edges(options);
    assertEquals(state.edges({ ...options }) === edges, true);
    const others = [{ cutoff: 5 }, { isHalf: true }, { reach: 4 }].map((other) =>
      state.edges({ ...options, ...other })
    );
    const further = { ...options, pairs: state.pairs({ cutoff: 5, skin: 1 }) };
    assertEquals(new Set([edges, ...others, state.edges(further)]).size, 5);
    const place = { positions: state.field("positions"), cell: state.field("cell") };
    const program = state.prepare([
      call(neighbors, { pairs, ...place, pbc: state.field<"i32">("pbc") }),
      call(edgesKernel, { edges, ...place }),
    ]);
    assertEquals(backend.run(program, 0, 1), 1);
    // Each of 32 atoms of the crystal has twelve at 5.26 / √2 = 3.72 Å.
    assertEquals([...backend.view(edges.counts)], [12 * 32, 0]);
    state.free();
    assert(state.edges(options) !== edges);
  });
}

function held(name: "reference" | "wasm") {
  const backend = openBackend(name);
  return { backend, [Symbol.dispose]: () => backend.dispose() };
}
