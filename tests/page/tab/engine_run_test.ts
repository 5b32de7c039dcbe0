// A run in a tab, here without a tab: its files are those of the commands, and pauses change no bit.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fcc, rattle } from "../../../src/batch/mod.ts";
import { writeExtxyz } from "../../../src/batch/extxyz/mod.ts";
import { EngineRun } from "../../../src/page/tab/engine_run.ts";
import type { TabRequest, TabResult } from "../../../src/page/tab/messages.ts";
import { readTabStructures } from "../../../src/page/tab/structures.ts";
import type { RunEvent } from "../../../src/page/protocol.ts";
import { hooke, tempFolder } from "../../cli/session.ts";

const TEXT = writeExtxyz([rattle(fcc({ element: "Ar", a: 5.26, cells: 2 }), 0.1, 1)]);
const ARGON = { name: "argon.xyz", bytes: new TextEncoder().encode(TEXT) };
const MD: TabRequest = {
  task: "md",
  files: [ARGON],
  settings: { temperature: 40, dt: 4, steps: 60, trajEvery: 20, logEvery: 20, device: "wasm" },
};

interface Ran {
  readonly result: TabResult;
  readonly events: readonly RunEvent[];
  readonly told: readonly string[];
  readonly run: EngineRun;
}

/** Runs a request to the end; `paused` is called whenever it is paused, and then it resumes. */
async function ran(
  request: TabRequest,
  paused: (run: EngineRun) => Promise<void> = () => Promise.resolve(),
  pauseAt?: number,
): Promise<Ran> {
  const events: RunEvent[] = [], told: string[] = [];
  let isOpen = true;
  const resume = async () => {
    await paused(run);
    await run.command({ action: "resume" });
  };
  const event = (event: RunEvent) => {
    events.push(event);
    if (event.type === "info" && event.run.state === "paused") setTimeout(resume);
    if (event.type === "frames" && event.count === pauseAt && isOpen) {
      isOpen = false;
      void run.command({ action: "pause" });
    }
  };
  const run = await EngineRun.open(request, {
    event,
    live: () => {},
    moved: (_move, text) => void told.push(text),
  });
  return { result: await run.run(), events, told, run };
}

Deno.test("files of runs in a tab are those of hooke md and hooke relax, to the byte", async () => {
  await using folder = await tempFolder();
  const before = Deno.cwd();
  Deno.chdir(folder.path);
  try {
    await Deno.writeFile("argon.xyz", ARGON.bytes);
    const options = "--temperature 40 --dt 4 --steps 60 --traj-every 20 --log-every 20";
    assertEquals((await hooke(["md", "argon.xyz", ...options.split(" "), "--quiet"])).code, 0);
    assertEquals((await hooke(["relax", "argon.xyz", "--fmax", "0.01", "--quiet"])).code, 0);
    const md = (await ran(MD)).run;
    for (const name of ["final.xyz", "trajectory.xyz", "log.csv"]) {
      const wanted = await Deno.readTextFile(`argon-md/${name}`);
      assertEquals(new TextDecoder().decode(await md.file(name)), wanted, name);
    }
    const settings = { fmax: 0.01, device: "wasm" };
    const relaxed = await ran({ task: "relax", files: [ARGON], settings });
    assertEquals(
      new TextDecoder().decode(await relaxed.run.file("final.xyz")),
      await Deno.readTextFile("argon.relaxed.xyz"),
    );
    assertStringIncludes(relaxed.result.text, "converged, ");
  } finally {
    Deno.chdir(before);
  }
});

Deno.test("a run that is paused, and one that begins paused, has the same bits", async () => {
  const { result: { hash } } = await ran(MD);
  const paused = await ran(MD, undefined, 2);
  assertEquals([paused.result.hash, paused.result.step], [hash, 60]);
  const states = paused.events.flatMap((event) => event.type === "info" ? [event.run.state] : []);
  assert(states.includes("paused"));
  assertEquals((await ran({ ...MD, isPaused: true })).result.hash, hash);
  assert(!/undefined/.test(hash!));
});

Deno.test("a moved atom changes the run, its move is logged, and the same move gives the same bits", async () => {
  const { result: { hash } } = await ran(MD);
  const position = [0.4, 0.3, 0.2] as const;
  const moved = await ran(MD, (run) => run.move({ system: 0, atom: 0, position }), 2);
  assert(moved.result.hash !== hash);
  const [text] = moved.told, step = Number(/^Step (\d+):/.exec(text!)?.[1]);
  assertStringIncludes(text!, "its velocity is 0 now, and others are unchanged");
  const again = await ran({ ...MD, moves: [{ step, system: 0, atom: 0, position }] });
  assertEquals(again.result.hash, moved.result.hash);
});

Deno.test("an atom cannot be moved into another one, or while the run goes on", async () => {
  const [structure] = await readTabStructures([ARGON]);
  const [x, y, z] = structure!.system.positions.subarray(3, 6);
  const { run } = await ran({ ...MD, isPaused: true }, async (run) => {
    await assertRejects(
      () => run.move({ system: 0, atom: 0, position: [x! + 0.1, y!, z!] }),
      RangeError,
      "atom 1 is less than 0.5 Å away",
    );
    await assertRejects(
      () => run.move({ system: 0, atom: 99, position: [0, 0, 0] }),
      RangeError,
      "there is no such atom",
    );
  });
  const late = () => run.move({ system: 0, atom: 0, position: [0, 0, 0] });
  await assertRejects(late, Error, "pause the run first");
});

Deno.test("wrong files and elements are errors in words", async () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const copper = bytes("1\n\nCu 0 0 0\n");
  const cases = [
    [
      { name: "cu.xyz", bytes: copper },
      "the structures have Cu, and the built-in potential is for",
    ],
    [{ name: "notes.txt", bytes: copper }, "Cannot read notes.txt: its name must be POSCAR"],
    [{ name: "a.db", bytes: copper }, "hooke convert a.db structures.xyz makes a file"],
    [{ name: "a.xyz", bytes: bytes("not a number\n") }, "Cannot read a.xyz: "],
    [{ name: "a.cif", bytes: bytes("nothing") }, "a.cif"],
    [{ name: "empty.xyz", bytes: bytes("\n") }, "Cannot read empty.xyz: it has no structures"],
  ] as const;
  for (const [file, message] of cases) {
    const open = () =>
      EngineRun.open({ task: "relax", files: [file], settings: {} }, {
        event: () => {},
        live: () => {},
        moved: () => {},
      });
    const { message: text } = await assertRejects(open, Error);
    assertStringIncludes(text, message);
  }
});
