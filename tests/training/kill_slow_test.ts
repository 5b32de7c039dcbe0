import { killTraining } from "./killed_training.ts";

const KILLS = 12;

Deno.test(`training that is killed ${KILLS} times while it writes checkpoints resumes bitwise identically each time`, async () => {
  await killTraining(KILLS);
});
