// A process that is killed while it writes checkpoints, snapshots and a log, again and again.
import { killAgain } from "./killed_again.ts";

for (const ending of ["xyz"] as const) {
  Deno.test(`${ending}: killed 50 times a run ends with the bits of one that never was, with each snapshot once`, async () => {
    await killAgain(ending, { kills: 50, steps: 30_000, seed: 7 });
  });
}
for (const ending of ["zarr", "jsonl", "db"] as const) {
  Deno.test(`${ending}: killed 10 times a run ends with the bits of one that never was, with each snapshot once`, async () => {
    await killAgain(ending, { kills: 10, steps: 12_000, seed: 11 });
  });
}
