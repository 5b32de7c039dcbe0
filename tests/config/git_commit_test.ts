import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { gitCommit } from "../../src/config/runs/mod.ts";

Deno.test("gitCommit() is unknown outside a repository, and in one without a commit", async () => {
  await using tree = await makeTree();
  assertEquals(await gitCommit({ from: tree.path }), "unknown");
  await tree.git("init", "-q", "-b", "main");
  assertEquals(await gitCommit({ from: tree.path }), "unknown");
});

Deno.test("gitCommit() is the commit of the branch, from any folder below, and follows new commits", async () => {
  await using tree = await makeTree();
  const first = await tree.commit();
  assertMatch(first, /^[0-9a-f]{40}$/);
  await Deno.mkdir(`${tree.path}/deep/er`, { recursive: true });
  assertEquals(await gitCommit({ from: `${tree.path}/deep/er` }), first);
  await tree.git("checkout", "-q", "-b", "feature/with.dots");
  const second = await tree.commit();
  assertNotEquals(second, first);
  assertEquals(await gitCommit({ from: tree.path }), second);
});

Deno.test("gitCommit() reads the current directory by default", async () => {
  const { stdout, success } = await git(".", ["rev-parse", "HEAD"]);
  assertEquals(await gitCommit(), success ? stdout : "unknown");
});

Deno.test("gitCommit() finds packed refs, and prefers a loose one that is newer", async () => {
  await using tree = await makeTree();
  await tree.commit();
  await tree.git("branch", "mai"); // whose name is the beginning of another's
  const first = await tree.commit();
  await tree.git("tag", "-a", "-m", "peeled", "v1");
  await tree.git("pack-refs", "--all");
  await Deno.lstat(`${tree.path}/.git/refs/heads/main`).then(() => {
    throw new Error("the ref is still loose");
  }, () => {});
  assertEquals(await gitCommit({ from: tree.path }), first);
  const second = await tree.commit();
  assertEquals(await gitCommit({ from: tree.path }), second);
});

Deno.test("gitCommit() reads a detached HEAD, and a SHA-256 repository", async () => {
  await using tree = await makeTree();
  const first = await tree.commit();
  await tree.commit();
  await tree.git("checkout", "-q", "--detach", first);
  assertEquals(await gitCommit({ from: tree.path }), first);

  await using long = await makeTree();
  await long.git("init", "-q", "-b", "main", "--object-format=sha256");
  const hash = await long.commit();
  assertEquals([hash.length, await gitCommit({ from: long.path })], [64, hash]);
});

Deno.test("gitCommit() reads linked worktrees, with shared branches, loose or packed", async () => {
  await using tree = await makeTree();
  const main = await tree.commit();
  await tree.git("worktree", "add", "-q", "-b", "other", `${tree.path}/linked`);
  const linked = `${tree.path}/linked`;
  const other = await tree.commit(linked);
  assertEquals(await gitCommit({ from: linked }), other);
  await tree.git("pack-refs", "--all");
  assertEquals(await gitCommit({ from: linked }), other);
  assertEquals(await gitCommit({ from: tree.path }), main);
});

Deno.test("gitCommit() reads a submodule by its gitdir file, relative as git writes it", async () => {
  await using tree = await makeTree();
  await using part = await makeTree();
  const outer = await tree.commit();
  const inner = await part.commit();
  await tree.git(
    "-c",
    "protocol.file.allow=always",
    "submodule",
    "--quiet",
    "add",
    part.path,
    "part",
  );
  assertMatch(await Deno.readTextFile(`${tree.path}/part/.git`), /^gitdir: \.\.\//);
  assertEquals(await gitCommit({ from: `${tree.path}/part` }), inner);
  assertEquals(await gitCommit({ from: tree.path }), outer);
});

Deno.test("gitCommit() ignores an empty .git folder, as git does, and is unknown if HEAD is damaged", async () => {
  await using tree = await makeTree();
  const commit = await tree.commit();
  await Deno.mkdir(`${tree.path}/below/.git`, { recursive: true });
  assertEquals(await gitCommit({ from: `${tree.path}/below` }), commit);
  for (const head of ["", "nonsense", "ref: ../../secret", "ref: refs/heads/loop", `${commit}0`]) {
    await Deno.writeTextFile(`${tree.path}/.git/HEAD`, head);
    await Deno.writeTextFile(`${tree.path}/.git/refs/heads/loop`, "ref: refs/heads/loop\n");
    assertEquals(await gitCommit({ from: tree.path }), "unknown");
  }
});

Deno.test("gitCommit() is unknown without permission to read, without a prompt, and without Deno", async () => {
  assertMatch(await runScript("", "--allow-read"), /^([0-9a-f]{40}|unknown) $/);
  assertEquals(await runScript("", "--no-prompt"), "unknown ");
  assertEquals(
    await runScript("delete globalThis.process; delete globalThis.Deno;", "--allow-read"),
    "unknown ",
  );
  // Deno prompts at a terminal if a file is read without permission.
  const asking = `delete globalThis.process; delete globalThis.Deno;
  globalThis.Deno = {
    cwd: () => "/home",
    permissions: { querySync: () => ({ state: "prompt" }) },
    readTextFile: (path) => Promise.resolve(asked = path),
  };`;
  assertEquals(await runScript(asking, "--allow-read"), "unknown ");
});

/** Returns the result of `gitCommit()` in a separate process, and the file that it asked for. */
async function runScript(before: string, flag: string): Promise<string> {
  const module = JSON.stringify(new URL("../../src/base/git_commit.ts", import.meta.url).href);
  const file = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await Deno.writeTextFile(
      file,
      `import { gitCommit } from ${module};
      let asked = "";
      ${before}
      console.log(await gitCommit() + " " + asked);`,
    );
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-config", "--no-check", flag, file],
    }).output();
    assertEquals(new TextDecoder().decode(stderr), "");
    return new TextDecoder().decode(stdout).replace("\n", "");
  } finally {
    await Deno.remove(file);
  }
}

/** Runs git without any user's configuration. */
async function git(cwd: string, args: string[]): Promise<{ stdout: string; success: boolean }> {
  const { stdout, success } = await new Deno.Command("git", {
    args: ["-c", "user.name=T", "-c", "user.email=t@example.org", ...args],
    cwd,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
    },
    stderr: "null",
  }).output();
  return { stdout: new TextDecoder().decode(stdout).trim(), success };
}

/** Creates a temporary folder with a git repository. */
async function makeTree() {
  const path = await Deno.realPath(await Deno.makeTempDir());
  const must = async (cwd: string, args: string[]) => {
    const { stdout, success } = await git(cwd, args);
    if (!success) throw new Error(`git ${args.join(" ")} failed`);
    return stdout;
  };
  return {
    path,
    git: (...args: string[]) => must(path, args),
    /** Makes a commit (and the repository, if there is none); returns its hash according to git. */
    async commit(cwd = path): Promise<string> {
      await must(path, ["init", "-q", "-b", "main"]);
      await must(cwd, ["commit", "-q", "--allow-empty", "-m", crypto.randomUUID()]);
      return await must(cwd, ["rev-parse", "HEAD"]);
    },
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}
