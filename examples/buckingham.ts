/**
 * Defines a custom pair potential: its energy is written once, and it runs on every backend, with forces and
 * stresses.
 *
 * Run: `deno run examples/buckingham.ts`
 */
import { Batch, fcc, FIRE, pairPotential } from "@hooke/hooke";

/** E = A exp(−r/ρ) − C/r⁶ */
const buckingham = pairPotential({
  name: "Buckingham",
  parameters: { a: "positive", rho: "positive", c: "nonnegative" },
  energy: (r, { a, rho, c }) => a.mul(r.div(rho).neg().exp()).sub(c.div(r.pow(6))),
});

// Argon: R. A. Buckingham, Proc. R. Soc. Lond. A 168, 264 (1938).
const argon = buckingham({ a: 10_549, rho: 0.273, c: 63.7, cutoff: 9, truncation: "switch" });

const batch = Batch.from([fcc({ element: "Ar", a: 5.4, cells: 4 })]);
await using relaxation = new FIRE({ model: argon, dt: 0.1, cell: true });
await relaxation.run(batch, 500);
const [edge] = batch.get("cell");
console.log(`a = ${(edge! / 4).toFixed(3)} Å`);
