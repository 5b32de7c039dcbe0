// Flushed data is on the disk, as the system calls of a writing process show: all written files must have
// been synced, and so must the folder of each new or renamed file.
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { withFolder } from "../checkpoint/folder.ts";
import { lacks } from "../machine.ts";

const CALLS =
  "openat,write,pwrite64,writev,pwritev,ftruncate,fsync,fdatasync,rename,renameat,renameat2,mkdir,unlink";
const SCRIPT = fileURLToPath(new URL("durable.ts", import.meta.url));

/** Data that is not on the disk yet, updated with each system call. */
class Unsynced {
  readonly #bytes = new Set<string>();
  readonly #entries = new Set<string>();
  readonly #known = new Set<string>();

  follow(call: string, text: string): void {
    const paths = Array.from(text.matchAll(/"(\/[^"]*)"/g), ([, path]) => path!);
    const open = /^\d+<([^>]*)>/.exec(text)?.[1] ?? "";
    if (call === "openat" && text.includes("O_CREAT")) this.#add(paths[0]!);
    if (call === "mkdir" && / = 0$/.test(text)) this.#add(paths[0]!);
    if (/write|truncate/.test(call)) this.#bytes.add(open);
    if (call === "unlink") this.#remove(paths[0]!);
    if (call.startsWith("rename")) {
      const [from, to] = paths as [string, string];
      if (this.#bytes.has(from)) this.#bytes.add(to);
      this.#remove(from);
      this.#known.delete(to);
      this.#add(to);
    }
    if (call === "fsync" || call === "fdatasync") {
      this.#bytes.delete(open);
      for (const entry of this.#entries) {
        if (entry.slice(0, entry.lastIndexOf("/")) === open) this.#entries.delete(entry);
      }
    }
  }

  within(folder: string): string[] {
    return [...this.#bytes, ...this.#entries].filter((path) => path.startsWith(folder)).sort();
  }

  #add(path: string): void {
    if (!this.#known.has(path)) this.#entries.add(path);
    this.#known.add(path);
  }

  #remove(path: string): void {
    for (const set of [this.#bytes, this.#entries, this.#known]) set.delete(path);
  }
}

for (const ending of ["xyz", "jsonl", "csv", "db", "zarr"]) {
  Deno.test({
    name: `flushed data of a .${ending} is on the disk, with the names of its files`,
    ignore: lacks("strace"),
    fn: () =>
      withFolder(async (folder) => {
        const [data, marks, log] = [`${folder}/data`, `${folder}/marks`, `${folder}/log`];
        await Deno.mkdir(data);
        await Deno.mkdir(marks);
        const { success, stderr } = await new Deno.Command("strace", {
          args: ["-f", "-y", "-qq", "-s", "0", "-e", `trace=${CALLS}`, "-o", log].concat(
            [Deno.execPath(), "run", "-A", "--no-check", SCRIPT, `${data}/x.${ending}`, marks],
          ),
        }).output();
        assert(success, new TextDecoder().decode(stderr));
        const unsynced = new Unsynced(), found: string[][] = [];
        let writes = 0;
        for (const line of (await Deno.readTextFile(log)).split("\n")) {
          const [, call, text] = /^\d+ +(\w+)\((.*)$/.exec(line) ?? [];
          if (call === undefined) continue;
          if (call === "mkdir" && text!.includes(`${marks}/`)) found.push(unsynced.within(data));
          if (/write/.test(call) && text!.includes(data)) writes++;
          unsynced.follow(call, text!);
        }
        assertEquals(found, [[], [], [], []]);
        assert(writes >= 3, `${writes} writes were seen`);
      }),
  });
}

Deno.test("a process with permission for its files, but not for their folder, writes them", () =>
  withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/marks`);
    for (const ending of ["xyz", "jsonl", "csv", "db", "zarr"]) {
      const path = `${folder}/x.${ending}`, marks = `${folder}/marks/${ending}`;
      await Deno.mkdir(marks);
      const { success, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-prompt", "--no-check", `--allow-read=${path}`].concat(
          [`--allow-write=${path},${marks}`, SCRIPT, path, marks],
        ),
      }).output();
      assert(success, new TextDecoder().decode(stderr));
    }
  }));
