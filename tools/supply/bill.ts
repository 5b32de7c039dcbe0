/**
 * The bill of materials of a release: the packages that users load with Hooke, with versions, licenses and hashes.
 *
 * `bill.ts` prints it as CycloneDX 1.6; `--markdown` as the table for the release notes, which CHANGELOG.md has.
 *
 * @module
 */

import { ROOT } from "../check/entry_points.ts";
import { type Package, packagesOf, readLock, shippedOf } from "./packages.ts";

/** A package with its license. */
export interface BillRow extends Package {
  readonly license: string;
}

/** Returns the packages that are shipped, by name. */
export async function billRows(): Promise<BillRow[]> {
  const read = async (path: string) => JSON.parse(await Deno.readTextFile(new URL(path, ROOT)));
  const { imports } = await read("deno.json"), licenses = await read("tools/supply/licenses.json");
  return shippedOf(packagesOf(await readLock()), imports)
    .map((each) => ({ ...each, license: licenses[`${each.name}@${each.version}`] }))
    .toSorted((a, b) => a.name < b.name ? -1 : 1);
}

/** The table for the release notes. */
export function billTable(rows: readonly BillRow[]): string {
  const lines = rows.map(({ name, version, license, integrity }) =>
    `| ${name} | ${version} | ${license} | \`${integrity.slice(0, 23)}…\` |`
  );
  return ["| Package | Version | License | Hash |", "| --- | --- | --- | --- |", ...lines].join(
    "\n",
  );
}

/** The bill as CycloneDX, without a time or a serial number: the same packages give the same bytes. */
export function cycloneDx(rows: readonly BillRow[], version: string): object {
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "library", name: "@hooke/hooke", version } },
    components: rows.map(({ name, version, license, integrity }) => ({
      type: "library",
      "bom-ref": `pkg:npm/${name.replace("@", "%40")}@${version}`,
      name,
      version,
      purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
      licenses: [license.startsWith("(") ? { expression: license } : { license: { id: license } }],
      hashes: [{
        alg: "SHA-512",
        content: Uint8Array.fromBase64(integrity.slice("sha512-".length)).toHex(),
      }],
    })),
  };
}

if (import.meta.main) {
  const rows = await billRows();
  const { version } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  console.log(
    Deno.args.includes("--markdown")
      ? billTable(rows)
      : JSON.stringify(cycloneDx(rows, version), null, 2),
  );
}
