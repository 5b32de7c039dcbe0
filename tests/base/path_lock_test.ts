// Locks of paths: what counts as nothing to lock, and what is an error.
import { assert, assertEquals, assertThrows } from "@std/assert";
import { type LockHost, lockPath } from "../../src/base/path_lock.ts";

/** A runtime in which one of these functions throws an error with this code. */
function hostThat(fails: "statSync" | "openSync" | "tryLockSync", code: string) {
  const fail = () => {
    throw Object.assign(new Error("refused by the test"), { code });
  };
  let open = 0;
  const file = {
    tryLockSync: fails === "tryLockSync" ? fail : () => true,
    close: () => void open--,
  };
  const host: LockHost = {
    build: { os: "linux" },
    statSync: fails === "statSync" ? fail : () => ({ dev: 1, ino: -1 }),
    openSync: fails === "openSync" ? fail : () => (open++, file),
  };
  return { host, open: () => open };
}

Deno.test("where nothing is, or there are no locks, nothing is locked", () => {
  const cases = [
    ["statSync", "ENOENT"],
    ["statSync", "ENOTDIR"],
    ["openSync", "ENOENT"],
    ["tryLockSync", "ENOTSUP"],
    ["tryLockSync", "ENOLCK"],
  ] as const;
  for (const [fails, code] of cases) {
    const { host, open } = hostThat(fails, code);
    const locks = [lockPath("x", host), lockPath("x", host)];
    assert(locks.every((lock) => lock !== undefined), `${fails} ${code}`);
    assertEquals(open(), 0);
  }
});

Deno.test("any other refusal is an error: a writer without its lock could damage what another writes", () => {
  const cases = [["statSync", "EIO"], ["openSync", "EACCES"], ["tryLockSync", "EIO"]] as const;
  for (const [fails, code] of cases) {
    const { host, open } = hostThat(fails, code);
    const error = assertThrows(() => lockPath("x", host), Error, "Cannot lock x: ");
    assertEquals((error as { code?: unknown }).code, code);
    assertEquals(open(), 0);
  }
});
