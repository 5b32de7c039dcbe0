// Processes that compete for a run folder, and are killed.
import { assert, assertEquals } from "@std/assert";

const KILLS = 50, CONTENDERS = 3;

Deno.test(`${CONTENDERS} processes compete for one folder and are killed ${KILLS} times: never two of them have it, and it is taken over`, async () => {
  const parent = await Deno.makeTempDir();
  const said: string[] = [];
  const errors: string[] = [];
  const start = () => {
    const run = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-check",
        new URL("lock_contender.ts", import.meta.url).href,
        `${parent}/run`,
      ],
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const listen = async () => {
      for await (const chunk of run.stdout) {
        said.push(...new TextDecoder().decode(chunk).trim().split("\n"));
      }
    };
    const complain = async () => {
      for await (const chunk of run.stderr) errors.push(new TextDecoder().decode(chunk));
    };
    return { run, done: Promise.all([listen(), complain(), run.status]) };
  };
  const all = Array.from({ length: CONTENDERS }, start);
  for (let kill = 0; kill < KILLS; kill++) {
    const heard = said.length;
    while (said.length < heard + 3) await new Promise((done) => setTimeout(done, 1));
    await new Promise((done) => setTimeout(done, (kill * 0.618 % 1) * 40));
    const place = kill % CONTENDERS, { run, done } = all[place]!;
    run.kill("SIGKILL");
    await done;
    all[place] = start();
  }
  for (const { run } of all) run.kill("SIGKILL");
  await Promise.all(all.map(({ done }) => done));
  assertEquals(errors, []);
  assertEquals(said.filter((text) => text.startsWith("both")), []);
  const overs = said.filter((text) => text.startsWith("took over")).length;
  assert(overs > 5, `it was taken over ${overs} times`);
  await Deno.remove(parent, { recursive: true });
});
