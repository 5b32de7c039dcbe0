// The documented run, started twice at once, and killed: one of two goes on, and each frame exists once.
import { assert, assertEquals } from "@std/assert";
import { openSystems } from "../../src/sinks/mod.ts";
import { withFolder } from "../checkpoint/folder.ts";
import { FRAMES, STEPS } from "./two_runs.ts";

const PAIRS = 20;

function start(...args: string[]): Deno.ChildProcess {
  const script = new URL("two_runs.ts", import.meta.url).href;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", script, ...args],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

for (const ending of ["xyz", "jsonl", "db", "zarr"]) {
  Deno.test(`two runs of one .${ending} at once, ${PAIRS} times: the second is refused, and the file is complete`, () =>
    withFolder(async (folder) => {
      let refused = 0;
      for (let pair = 0; pair < PAIRS; pair++) {
        const [checkpoints, file] = [`${folder}/${pair}`, `${folder}/${pair}.${ending}`];
        const first = start(checkpoints, file), second = start(checkpoints, file);
        const isKilled = pair % 2 === 1;
        let isOver = false;
        first.status.then(() => isOver = true);
        const timer = isKilled
          ? setTimeout(() => isOver || first.kill("SIGKILL"), 300 + 30 * pair)
          : undefined;
        const ends = await Promise.all([first, second].map((run) => run.output()));
        clearTimeout(timer);
        const texts = ends.map(({ stdout, stderr }) =>
          new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr)
        );
        refused += texts.filter((text) => text.includes("EBUSY")).length;
        for (const text of texts) assert(/^(done|EBUSY)?\s*$/.test(text), text);
        await start(checkpoints, file).output(); // each killed one left some steps to do
        await using systems = await openSystems(file);
        const steps: number[] = [];
        for (let i = 0; i < systems.length; i++) steps.push((await systems.get(i)).get("step")[0]!);
        assertEquals(steps, Array.from({ length: STEPS / FRAMES }, (_, i) => FRAMES * i));
      }
      assert(refused > PAIRS / 4, `${refused} were refused`);
    }));
}
