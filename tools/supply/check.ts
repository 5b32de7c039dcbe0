/**
 * Checks the packages that are used: exact versions, hashes, licenses, known vulnerabilities and signatures.
 *
 * The first three need no network. Advisories and signatures are asked of npm's registry. If it does not answer, the last
 * line says so, and the rest decides: the gate must pass on a machine without a network. With `--require`, as before a
 * release, that is a fault. `--update` writes licenses.json anew from the packages in Deno's cache.
 *
 * @module
 */

import { ROOT } from "../check/entry_points.ts";
import { licensesInCache } from "./licenses.ts";
import { type LockFile, packagesOf, readLock } from "./packages.ts";
import { advisoriesOf, unsignedOf } from "./registry.ts";

/** Licenses of packages that may be used together with MIT. Other licenses must be reviewed first. */
const ALLOWED: readonly string[] = [
  "MIT",
  "ISC",
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Unlicense", // the public domain: tweetnacl
  "(Apache-2.0 AND BSD-3-Clause)",
];

/** Packages whose license has no name of its own, and was read: NIST's public-domain notice, and BSD-3-Clause of HDF5. */
const REVIEWED: ReadonlySet<string> = new Set([
  "h5wasm@0.10.3",
  "axe-core@4.14.1", // MPL-2.0: tests use it, and nothing of it is published
]);

/** The parts of deno.json that name packages. */
export interface Imports {
  readonly imports: Readonly<Record<string, string>>;
  readonly scopes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Returns what is wrong with the packages, as far as files tell. */
export function faultsOf(
  { imports, scopes }: Imports,
  lock: LockFile,
  licenses: Readonly<Record<string, string>>,
): string[] {
  const faults: string[] = [], packages = packagesOf(lock);
  const ids = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  for (const specifier of [imports, ...Object.values(scopes)].flatMap(Object.values<string>)) {
    if (!specifier.startsWith("npm:")) continue;
    const id = specifier.slice("npm:".length);
    if (!/^@?[^@]+@\d+\.\d+\.\d+(-[\w.]+)?$/.test(id)) {
      faults.push(`${specifier} must have an exact version`);
    } else if (!ids.has(id)) faults.push(`${id} is not in the lock file: run deno task lock`);
  }
  if (lock.jsr !== undefined) {
    faults.push("the lock file must have npm packages alone: run STD=local deno task lock");
  }
  for (const { name, version, integrity } of packages) {
    const id = `${name}@${version}`, license = licenses[id];
    if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)) faults.push(`${id} has no sha512 hash`);
    if (license === undefined) faults.push(`${id} has no license in tools/supply/licenses.json`);
    else if (!ALLOWED.includes(license) && !REVIEWED.has(id)) {
      faults.push(`${id} has the license ${license}`);
    }
  }
  for (const id of Object.keys(licenses)) {
    if (!ids.has(id)) {
      faults.push(`${id} is in tools/supply/licenses.json, and not in the lock file`);
    }
  }
  return faults;
}

/** Answers of the registry about the packages; `undefined` if it did not answer. */
export interface Answers {
  readonly advisories: readonly string[] | undefined;
  readonly unsigned: readonly string[] | undefined;
}

/** Returns the faults, and the last line of the report. What the registry does not answer is a fault if it is required. */
export function verdictOf(
  count: number,
  offline: readonly string[],
  { advisories, unsigned }: Answers,
  isRequired: boolean,
): { readonly faults: readonly string[]; readonly summary: string } {
  const unchecked = [
    ...(advisories === undefined ? ["advisories"] : []),
    ...(unsigned === undefined ? ["signatures"] : []),
  ];
  const missing = isRequired
    ? unchecked.map((what) => `${what} are required, and the registry gave no answer`)
    : [];
  const faults = [...offline, ...advisories ?? [], ...unsigned ?? [], ...missing];
  const note = unchecked.length === 0
    ? ""
    : `; NOT CHECKED: ${unchecked.join(" and ")}, because the registry gave no answer`;
  return { faults, summary: `supply: ${count} packages, ${faults.length} faults${note}` };
}

if (import.meta.main) {
  const file = new URL("tools/supply/licenses.json", ROOT), lock = await readLock();
  const packages = packagesOf(lock);
  if (Deno.args.includes("--update")) {
    const found = Object.fromEntries((await licensesInCache(packages)).toSorted());
    await Deno.writeTextFile(file, `${JSON.stringify(found, null, 2)}\n`);
  }
  const licenses: Record<string, string> = JSON.parse(await Deno.readTextFile(file));
  const imports: Imports = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const faults = faultsOf(imports, lock, licenses);
  for (const [id, license] of await licensesInCache(packages)) {
    if (licenses[id] === license) continue;
    faults.push(
      `the package ${id} declares the license ${license}; the list of licenses has ${licenses[id]}`,
    );
  }
  const answers = {
    advisories: await advisoriesOf(packages),
    unsigned: await unsignedOf(packages),
  };
  const isRequired = Deno.args.includes("--require");
  const verdict = verdictOf(packages.length, faults, answers, isRequired);
  for (const fault of verdict.faults) console.error(fault);
  console.log(verdict.summary);
  Deno.exit(verdict.faults.length === 0 ? 0 : 1);
}
