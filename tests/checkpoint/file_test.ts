import { assert, assertEquals, assertRejects } from "@std/assert";
import { encodeCheckpoint, readCheckpoint, writeCheckpoint } from "../../src/checkpoint/mod.ts";
import { namesIn, withFolder } from "./folder.ts";

/** A content that tells which one it is. */
function version(step: number, size = 3) {
  return { kind: "test", schema: 1, data: { step, x: new Float64Array(size).fill(step) } };
}

/** Writes a program that begins with the import of this room. */
async function writeProgram(path: string, body: string): Promise<string> {
  const module = new URL("../../src/checkpoint/mod.ts", import.meta.url).href;
  const names = "decodeCheckpoint, encodeCheckpoint, writeCheckpoint";
  await Deno.writeTextFile(path, `import { ${names} } from ${JSON.stringify(module)};\n${body}`);
  return path;
}

/** Returns the output of a command, or its errors if it prints nothing. */
async function run(command: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(command, { args }).output();
  return new TextDecoder().decode(stdout.length > 0 ? stdout : stderr).trim();
}

Deno.test("checkpoints are written and read by path or URL, and no temporary files remain", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/ä run.hooke`;
    const url = new URL(`file://${folder}/%C3%A4%20run.hooke`);
    for (const [step, place] of [path, url, path].entries()) {
      await writeCheckpoint(place, version(step));
      for (const from of [path, url]) assertEquals(await readCheckpoint(from), version(step));
    }
    assertEquals(await Deno.readFile(path), encodeCheckpoint(version(2)));
    assertEquals(namesIn(folder), ["ä run.hooke"]);
  });
});

Deno.test("the state is copied at the call, not when the file is written", async () => {
  await withFolder(async (folder) => {
    const content = version(1);
    const writing = writeCheckpoint(`${folder}/a`, content);
    content.data.x.fill(9);
    content.data.step = 9;
    await writing;
    assertEquals(await readCheckpoint(`${folder}/a`), version(1));
  });
});

Deno.test("content that is rejected leaves the file unchanged", async () => {
  await withFolder(async (folder) => {
    await writeCheckpoint(`${folder}/a`, version(1));
    await assertRejects(
      () => writeCheckpoint(`${folder}/a`, { kind: "test", schema: 1, data: { file: new Map() } }),
      TypeError,
      "data.file must be plain data",
    );
    assertEquals(await readCheckpoint(`${folder}/a`), version(1));
    assertEquals(namesIn(folder), ["a"]);
  });
});

Deno.test("readCheckpoint() checks kind and schema, and names the file in every error", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/a`;
    await writeCheckpoint(path, version(1));
    assertEquals(await readCheckpoint(path, { kind: "test", schema: 1 }), version(1));
    const start = `Cannot read checkpoint ${path}:`;
    await assertRejects(
      () => readCheckpoint(path, { kind: "dynamics/NVE" }),
      TypeError,
      `${start} its kind must be "dynamics/NVE"; got "test"`,
    );
    await assertRejects(
      () => readCheckpoint(path, { schema: 0 }),
      RangeError,
      `${start} its schema must be at most 0`,
    );
    const bytes = await Deno.readFile(path);
    await Deno.writeFile(path, bytes.subarray(0, 100));
    await assertRejects(
      () => readCheckpoint(path),
      SyntaxError,
      `${start} it must have ${bytes.length} bytes; got 100 bytes, because the file is truncated`,
    );
    await Deno.writeTextFile(path, "not a checkpoint");
    await assertRejects(() => readCheckpoint(path), SyntaxError, `${start} it must begin with`);
  });
});

Deno.test("errors of the file system are reported with code, cause and path", async () => {
  await withFolder(async (folder) => {
    const codeOf = async (action: Promise<unknown>, message: string) => {
      const error: Error & { code?: string } = await assertRejects(() => action, Error, message);
      assertEquals((error.cause as { code?: string }).code, error.code);
      return error.code;
    };
    const missing = `${folder}/missing/a`;
    assertEquals(
      await codeOf(
        readCheckpoint(missing),
        `Cannot read checkpoint ${missing}: there is no such file or folder`,
      ),
      "ENOENT",
    );
    assertEquals(
      await codeOf(
        writeCheckpoint("/proc/no/such", version(1)),
        "Cannot make folder /proc/no for /proc/no/such: there is no such file or folder",
      ),
      "ENOENT",
    );
    assertEquals(await codeOf(readCheckpoint(folder), "Cannot read checkpoint"), "EISDIR");
    await Deno.mkdir(`${folder}/taken`);
    assertEquals(await codeOf(writeCheckpoint(`${folder}/taken`, version(1)), "taken"), "EISDIR");
    assertEquals(namesIn(folder), ["taken"]);
  });
});

Deno.test("a write that fails half-way leaves the old file and no temporary file", async () => {
  await withFolder(async (folder) => {
    await writeCheckpoint(`${folder}/a`, version(1));
    const program = await writeProgram(
      `${folder}/write.ts`,
      `const content = { kind: "test", schema: 1, data: new Float64Array(1e6) };
      await writeCheckpoint(${JSON.stringify(`${folder}/a`)}, content)
        .then(() => console.log("written"), ({ code }) => console.log(code));`,
    );
    const limited = `trap "" XFSZ; ulimit -f 2048; exec "$0" run -A --no-check "$1"`;
    assertEquals(await run("bash", "-c", limited, Deno.execPath(), program), "EFBIG");
    assertEquals(await readCheckpoint(`${folder}/a`), version(1));
    assertEquals(namesIn(folder), ["a", "write.ts"]);
    assertEquals(await run(Deno.execPath(), "run", "-A", "--no-check", program), "written");
  });
});

Deno.test("a write without permission to read the folder fails before anything changes", async () => {
  await withFolder(async (folder) => {
    await writeCheckpoint(`${folder}/a`, version(1));
    const program = await writeProgram(
      `${folder}/write.ts`,
      `await writeCheckpoint(${JSON.stringify(`${folder}/a`)}, { kind: "test", schema: 1, data: 2 })
        .catch(({ message }) => console.log(message));`,
    );
    const flags = ["run", "--no-check", "--no-prompt", `--allow-write=${folder}`];
    const message = await run(Deno.execPath(), ...flags, program);
    assert(message.includes("Requires read access"), message);
    assertEquals(await readCheckpoint(`${folder}/a`), version(1));
    assertEquals(namesIn(folder), ["a", "write.ts"]);
  });
});

Deno.test("permissions of the file are kept, and links stay links", async () => {
  await withFolder(async (folder) => {
    await writeCheckpoint(`${folder}/a`, version(1));
    await Deno.chmod(`${folder}/a`, 0o600);
    await Deno.symlink("a", `${folder}/latest`);
    await writeCheckpoint(`${folder}/latest`, version(2));
    assertEquals(await readCheckpoint(`${folder}/a`), version(2));
    assertEquals((await Deno.lstat(`${folder}/a`)).mode! & 0o777, 0o600);
    assert((await Deno.lstat(`${folder}/latest`)).isSymlink);
  });
});

Deno.test("of many concurrent writes to one path one wins completely", async () => {
  await withFolder(async (folder) => {
    const steps = Array.from({ length: 20 }, (_, step) => step);
    await Promise.all(steps.map((step) => writeCheckpoint(`${folder}/a`, version(step, 5000))));
    const { data } = await readCheckpoint(`${folder}/a`);
    assertEquals(data, version((data as { step: number }).step, 5000).data);
    assertEquals(namesIn(folder), ["a"]);
  });
});

Deno.test("in a web page encoding works, and writing reports that there is no file system", async () => {
  await withFolder(async (folder) => {
    const program = await writeProgram(
      `${folder}/page.ts`,
      `delete globalThis.process; delete globalThis.Deno;
      const content = { kind: "test", schema: 1, data: JSON.parse('{"__proto__": {"x": 7}}') };
      const { data } = decodeCheckpoint(encodeCheckpoint(content));
      await writeCheckpoint("a", content)
        .catch(({ name, message }) => console.log(JSON.stringify(data), data.x, name, message));`,
    );
    // Deno has no setter of __proto__ unless it is asked for; pages have.
    const flags = ["--unstable-unsafe-proto"];
    assertEquals(
      await run(Deno.execPath(), "run", "-A", "--no-check", ...flags, program),
      '{"__proto__":{"x":7}} undefined TypeError ' +
        "Cannot write checkpoint a: this runtime has no file system",
    );
  });
});
