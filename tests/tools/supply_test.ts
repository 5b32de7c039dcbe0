/** The packages that are used: pinned, hashed, licensed, signed, and listed in the release notes. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ROOT } from "../../tools/check/entry_points.ts";
import { billRows, billTable, cycloneDx } from "../../tools/supply/bill.ts";
import { faultsOf, type Imports, verdictOf } from "../../tools/supply/check.ts";
import { packagesOf, readLock } from "../../tools/supply/packages.ts";
import { isSigned, unsignedOf } from "../../tools/supply/registry.ts";

const read = (path: string) => Deno.readTextFile(new URL(path, ROOT));
const IMPORTS: Imports = JSON.parse(await read("deno.json"));
const LICENSES: Record<string, string> = JSON.parse(await read("tools/supply/licenses.json"));

Deno.test("every npm package has an exact version, a hash and a license", async () => {
  assertEquals(faultsOf(IMPORTS, await readLock(), LICENSES), []);
});

Deno.test("loose versions, missing hashes, JSR entries and odd licenses are named", async () => {
  const lock = await readLock(), id = "hookable@6.1.2";
  const imports = (specifier: string) => ({ imports: { a: specifier }, scopes: {} });
  const first = (faults: string[]) => faults[0];
  assertEquals(
    first(faultsOf(imports("npm:hookable@^6"), lock, LICENSES)),
    "npm:hookable@^6 must have an exact version",
  );
  assertStringIncludes(
    first(faultsOf(imports("npm:hookable@6.1.3"), lock, LICENSES))!,
    "hookable@6.1.3 is not in the lock file",
  );
  assertStringIncludes(
    first(faultsOf(IMPORTS, { ...lock, jsr: {} }, LICENSES))!,
    "npm packages alone",
  );
  const unhashed = { npm: { ...lock.npm, [id]: {} } };
  assertEquals(faultsOf(IMPORTS, unhashed, LICENSES), [`${id} has no sha512 hash`]);
  const odd = { ...LICENSES, [id]: "AGPL-3.0", "gone@1.0.0": "MIT" };
  assertEquals(faultsOf(IMPORTS, lock, odd), [
    `${id} has the license AGPL-3.0`,
    "gone@1.0.0 is in tools/supply/licenses.json, and not in the lock file",
  ]);
});

Deno.test("the last line says what the registry was not asked, which is a fault if it is required", () => {
  const silent = { advisories: undefined, unsigned: undefined };
  assertEquals(verdictOf(3, [], silent, false), {
    faults: [],
    summary:
      "supply: 3 packages, 0 faults; NOT CHECKED: advisories and signatures, because the registry gave no answer",
  });
  const { faults, summary } = verdictOf(3, ["odd"], { advisories: [], unsigned: undefined }, true);
  assertEquals(faults, ["odd", "signatures are required, and the registry gave no answer"]);
  assertStringIncludes(summary, "2 faults; NOT CHECKED: signatures");
  const heard = { advisories: ["a: high: hole"], unsigned: [] };
  assertEquals(verdictOf(3, [], heard, true).summary, "supply: 3 packages, 1 faults");
});

Deno.test("the release notes list what users load, and the bill has its hashes", async () => {
  const rows = await billRows(), plain = (text: string) => text.replaceAll(/[ -]+/g, " ");
  const notes = plain(await read("CHANGELOG.md"));
  for (const line of billTable(rows).split("\n")) assertStringIncludes(notes, plain(line));
  const names = rows.map(({ name }) => name);
  assertEquals(names.includes("onnxruntime-web"), true);
  assertEquals(names.includes("hookable"), false); // of a benchmark alone
  const bill = cycloneDx(rows, "0.1.0") as { components: { purl: string; hashes: object[] }[] };
  const [first] = bill.components;
  assertEquals(first!.purl, "pkg:npm/%40bufbuild/protobuf@2.17.0");
  assertEquals(bill.components.length, rows.length);
});

Deno.test("a package that needs another is followed, and peers are no versions", () => {
  const lock = { npm: { "@a/b@1.0.0_c@2.0.0": { dependencies: ["c@2.0.0", "d"] }, "c@2.0.0": {} } };
  assertEquals(packagesOf(lock).map(({ name, version, needs }) => [name, version, needs]), [
    ["@a/b", "1.0.0", ["c", "d"]],
    ["c", "2.0.0", []],
  ]);
});

Deno.test("a signature of the registry is verified against its keys", async () => {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
  const keys = [{ keyid: "k", key: spki.toBase64() }];
  const message = "mitt@3.0.1:sha512-a";
  for (let i = 0; i < 20; i++) { // numbers with a sign byte and without
    const made = await crypto.subtle.sign(
      algorithm,
      pair.privateKey,
      new TextEncoder().encode(message),
    );
    const signatures = [{ keyid: "k", sig: derOf(new Uint8Array(made)).toBase64() }];
    assertEquals(await isSigned(message, { signatures }, keys), true);
    assertEquals(await isSigned("mitt@3.0.1:sha512-b", { signatures }, keys), false);
  }
  assertEquals(await isSigned(message, {}, keys), false);
});

/** Runs with a registry that answers a path by the next of these; an Error is no answer. */
async function withRegistry<T>(
  answers: Readonly<Record<string, (Response | Error)[]>>,
  run: () => Promise<T>,
): Promise<T> {
  const { fetch } = globalThis;
  globalThis.fetch = (url) => {
    const next = answers[new URL(String(url)).pathname]!.shift()!;
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  };
  try {
    return await run();
  } finally {
    globalThis.fetch = fetch;
  }
}

Deno.test("a registry that does not answer is asked again, and is not taken for one that has not signed", async () => {
  const late = new DOMException("Signal timed out.", "TimeoutError");
  const found = () => Response.json({ dist: { integrity: "sha512-a" } });
  const packages = ["late", "slow", "gone"].map((name) => ({
    name,
    version: "1.0.0",
    integrity: "sha512-a",
    needs: [],
  }));
  const faults = await withRegistry({
    "/-/npm/v1/keys": [new Response(null, { status: 503 }), Response.json({ keys: [] })],
    "/late/1.0.0": [late, late, late, found()],
    "/slow/1.0.0": [late, found()],
    "/gone/1.0.0": [new Response(null, { status: 404, statusText: "Not Found" }), found()],
  }, () => unsignedOf(packages, { pause: 0 }));
  assertEquals(faults, [
    "late@1.0.0: the registry could not be asked for its signature: Signal timed out.",
    "slow@1.0.0 has no good signature of the registry for its hash",
    "gone@1.0.0: the registry could not be asked for its signature: it answered 404 Not Found",
  ]);
});

/** A signature of WebCrypto as ASN.1, as the registry has them. */
function derOf(raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const numbers = [raw.subarray(0, 32), raw.subarray(32)].flatMap((part) => {
    const start = part.findIndex((byte) => byte !== 0);
    const digits = [...part.subarray(start)];
    if (digits[0]! > 127) digits.unshift(0);
    return [2, digits.length, ...digits];
  });
  return Uint8Array.from([48, numbers.length, ...numbers]);
}
