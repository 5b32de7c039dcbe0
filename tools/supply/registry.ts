/**
 * Questions to npm's registry: known vulnerabilities, and whether it has signed what the lock file names.
 *
 * @module
 */

import type { Package } from "./packages.ts";

const REGISTRY = "https://registry.npmjs.org";
const PATIENCE_MS = 10_000, TRIES = 3;

/** Options of questions. */
export interface AskOptions {
  /** Milliseconds before the second try; twice as many before the third. @default 1000 */
  readonly pause?: number;
}

/** An answer, or the reason why there is none. */
type Answer<T> = { readonly value: T } | { readonly reason: string };

/** Asks, and asks again if there is no answer or the registry is busy. */
async function ask<T>(
  path: string,
  body?: unknown,
  { pause = 1000 }: AskOptions = {},
): Promise<Answer<T>> {
  for (let tried = 1;; tried++) {
    const { answer, isFinal } = await askOnce<T>(path, body);
    if (isFinal || tried === TRIES) return answer;
    await new Promise((resolve) => setTimeout(resolve, pause * tried));
  }
}

async function askOnce<T>(
  path: string,
  body: unknown,
): Promise<{ readonly answer: Answer<T>; readonly isFinal: boolean }> {
  try {
    const response = await fetch(`${REGISTRY}${path}`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body !== undefined && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    if (response.ok) return { answer: { value: await response.json() }, isFinal: true };
    await response.body?.cancel();
    const { status, statusText } = response;
    const isBusy = status >= 500 || status === 429;
    return { answer: { reason: `it answered ${status} ${statusText}`.trim() }, isFinal: !isBusy };
  } catch (error) {
    return { answer: { reason: (error as Error).message }, isFinal: false };
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
  if ("reason" in answer) return undefined;
  return Object.entries(answer.value).flatMap(([name, advisories]) =>
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

/**
 * Returns the packages whose hash the registry has not signed, or of which it could not be asked, in words; `undefined` if
 * it does not give its keys.
 */
export async function unsignedOf(
  packages: readonly Package[],
  options: AskOptions = {},
): Promise<string[] | undefined> {
  const answer = await ask<{ readonly keys: readonly Key[] }>("/-/npm/v1/keys", undefined, options);
  if ("reason" in answer) return undefined;
  const faults: string[] = [];
  for (const { name, version, integrity } of packages) {
    const id = `${name}@${version}`;
    const found = await ask<{ readonly dist: Dist }>(`/${name}/${version}`, undefined, options);
    if ("reason" in found) {
      faults.push(`${id}: the registry could not be asked for its signature: ${found.reason}`);
    } else if (!(await isSigned(`${id}:${integrity}`, found.value.dist, answer.value.keys))) {
      faults.push(`${id} has no good signature of the registry for its hash`);
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
