/**
 * Questions to npm's registry: known vulnerabilities, and whether it has signed what the lock file names.
 *
 * @module
 */

import type { Package } from "./packages.ts";

const REGISTRY = "https://registry.npmjs.org";
const PATIENCE_MS = 10_000;

/** Returns the answer as JSON; `undefined` if there is none, as without a network. */
async function ask<T>(path: string, body?: unknown): Promise<T | undefined> {
  try {
    const response = await fetch(`${REGISTRY}${path}`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body !== undefined && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    if (response.ok) return await response.json();
    await response.body?.cancel();
    return undefined;
  } catch {
    return undefined;
  }
}

interface Advisory {
  readonly title: string;
  readonly severity: string;
  readonly url: string;
}

/** Returns the advisories for these versions, in words; `undefined` if the registry does not answer. */
export async function advisoriesOf(packages: readonly Package[]): Promise<string[] | undefined> {
  const versions = Object.fromEntries(packages.map(({ name, version }) => [name, [version]]));
  const answer = await ask<Record<string, Advisory[]>>(
    "/-/npm/v1/security/advisories/bulk",
    versions,
  );
  return answer &&
    Object.entries(answer).flatMap(([name, advisories]) =>
      advisories.map(({ title, severity, url }) => `${name}: ${severity}: ${title} (${url})`)
    );
}

interface Key {
  readonly keyid: string;
  readonly key: string;
}

interface Dist {
  readonly integrity: string;
  readonly signatures?: readonly { readonly keyid: string; readonly sig: string }[];
}

/** Returns the packages whose hash the registry has not signed; `undefined` if it does not give its keys. */
export async function unsignedOf(packages: readonly Package[]): Promise<string[] | undefined> {
  const answer = await ask<{ readonly keys: readonly Key[] }>("/-/npm/v1/keys");
  if (answer === undefined) return undefined;
  const faults: string[] = [];
  for (const { name, version, integrity } of packages) {
    const dist = (await ask<{ readonly dist: Dist }>(`/${name}/${version}`))?.dist;
    const isGood = dist !== undefined &&
      await isSigned(`${name}@${version}:${integrity}`, dist, answer.keys);
    if (!isGood) {
      faults.push(`${name}@${version} has no good signature of the registry for its hash`);
    }
  }
  return faults;
}

/** Returns whether one of the keys has signed a message, as npm signs a package: `name@version:integrity`. */
export async function isSigned(
  message: string,
  { signatures = [] }: Pick<Dist, "signatures">,
  keys: readonly Key[],
): Promise<boolean> {
  for (const { keyid, sig } of signatures) {
    const key = keys.find((each) => each.keyid === keyid);
    if (key === undefined) continue;
    const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
    const spki = Uint8Array.fromBase64(key.key);
    const imported = await crypto.subtle.importKey("spki", spki, algorithm, false, ["verify"]);
    const bytes = new TextEncoder().encode(message);
    if (
      await crypto.subtle.verify(algorithm, imported, fromDer(Uint8Array.fromBase64(sig)), bytes)
    ) {
      return true;
    }
  }
  return false;
}

/** The two numbers of a signature one after the other, as WebCrypto wants them: npm has them in ASN.1. */
function fromDer(der: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(64);
  let at = 2;
  for (const end of [32, 64]) {
    const length = der[at + 1]!;
    const number = der.subarray(at + 2, at + 2 + length).subarray(-32);
    out.set(number, end - number.length);
    at += 2 + length;
  }
  return out;
}
