// The conformance suites of backends and models in Node, and the bits of runs, over the installed package.
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import { openBackend, openThreads } from "@hooke/hooke/backend";
import { fcc, lennardJones, rattle } from "@hooke/hooke";
import { backendSuite, modelSuite } from "@hooke/hooke/testing";
import { runHashes } from "../same_bits.ts";

/**
 * Kernels that are run on threads. The Deno suite runs all of them; here each case starts workers of Node, so a few
 * kernels show that requests, replies and failures arrive.
 */
const ON_THREADS =
  /^(lennard_jones|kick_drift|conserved_energy|neighbors) (?!.*for one system of any size$)/;

for (const { name, run } of backendSuite(() => openBackend("wasm"), { sizes: [3] })) {
  test(`wasm: ${name}`, run);
}
for (const { name, run } of backendSuite(() => openThreads(2), { sizes: [3] })) {
  if (ON_THREADS.test(name)) test(`threads: ${name}`, run);
}

const ARGON = { epsilon: 0.0104, sigma: 3.4, cutoff: 8.5 };
const cases = modelSuite(() => lennardJones({ ...ARGON, truncation: "switch" }), {
  systems: [rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)],
  gives: ["energy", "forces", "stress"],
});
for (const { name, run } of cases) test(`Lennard-Jones: ${name}`, run);

test("runs have the bits that they have in Deno", async () => {
  deepEqual(await runHashes(), JSON.parse(process.env.HOOKE_HASHES!));
});
