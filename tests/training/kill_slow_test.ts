import { killTraining } from "./killed_training.ts";

const KILLS = 12;

Deno.test(`training that is killed ${KILLS} times while it writes checkpoints goes on every time, to the bit`, async () => {
  await killTraining(KILLS);
});
