// A campaign over a real NATS server, whose workers and server are killed all the time.
import { assertEquals } from "@std/assert";
import { pythonTest } from "../../python.ts";
import { runChaos } from "./chaos.ts";

pythonTest(
  "killed workers, a killed server and its wiped disk change no byte of the results",
  async () => {
    const { repeated, seconds, ...outcome } = await runChaos({
      items: 500,
      workers: 4,
      workerKills: 20,
      serverKills: 3,
      batch: 4,
      seconds: 300,
    });
    console.log(`${repeated} items were computed again; ${seconds.toFixed(1)} s`);
    assertEquals(outcome, {
      results: 500,
      different: [],
      faults: 0,
      aside: 0,
      left: 0,
      codes: [0, 0, 0, 0],
    });
  },
);
