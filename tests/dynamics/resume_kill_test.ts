// Two kills; many are in resume_kill_slow_test.ts.
import { killAgain } from "./killed_again.ts";
import { slowTest } from "../suite.ts";

slowTest(
  "killed twice a run ends with the bits of one that never was, with each snapshot once",
  async () => {
    await killAgain("xyz", { kills: 2, steps: 1500, seed: 1 });
  },
);
