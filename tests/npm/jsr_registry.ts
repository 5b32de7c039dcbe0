/**
 * A registry on 127.0.0.1 with the part of JSR's API that `deno publish` and imports of `jsr:` use.
 *
 * Requests of `deno publish` (Deno 2.9.6), in order:
 * 1. `GET /api/scopes/SCOPE/packages/NAME/versions/VERSION`: if the version exists, nothing is published;
 * 2. the metadata and files of `jsr:` dependencies, as for any import;
 * 3. in CI without `--token`, `GET` of the CI's own address for OIDC tokens, with the hash of the tarball;
 * 4. `GET /api/scopes/SCOPE/packages/NAME`: a package that does not exist must be created on the web site first;
 * 5. `POST /api/scopes/SCOPE/packages/NAME/versions/VERSION?config=/deno.json` with the gzipped tarball as body and
 *    `Authorization: Bearer TOKEN`, or `githuboidc TOKEN` in CI. The answer is a publishing task;
 * 6. `GET /api/publish_status/TASK` every two seconds until the status is `success` or `failure`.
 *
 * With provenance it then reads the manifest of the version, and sends a signed statement to Sigstore and the registry.
 * Tests turn that off, because Sigstore is not on this machine.
 *
 * An import reads `/@SCOPE/NAME/meta.json` (the versions), `/@SCOPE/NAME/VERSION_meta.json` (hashes and entry points)
 * and `/@SCOPE/NAME/VERSION/PATH`.
 *
 * @module
 */

import { configOf, findRefusals, type PackageConfig } from "./jsr_refusals.ts";
import { type Files, untar } from "./untar.ts";

/** Token that the registry accepts, and the OIDC token that it issues as the CI and accepts. */
export const TOKEN = "secret-token", OIDC_TOKEN = "secret-oidc-token";

/** Time of the answers, which JSR's metadata contain. */
const CREATED = "2026-01-01T00:00:00Z";

/** An upload that the registry has accepted or refused. */
export interface Upload {
  /** Body of the request: a gzipped tar archive. */
  readonly tarball: Uint8Array<ArrayBuffer>;
  readonly files: Files;
  /** Name of the configuration in the archive, as the request states it. */
  readonly config: string | null;
  readonly refusals: readonly string[];
}

/** A published version. */
interface Version {
  readonly config: PackageConfig;
  readonly files: Files;
}

/** A registry with the packages that were added or published. */
export class JsrRegistry implements AsyncDisposable {
  /** Requests in order, as in `GET /api/scopes/hooke/packages/hooke`. */
  readonly requests: string[] = [];
  readonly uploads: Upload[] = [];
  /** The permissions for which OIDC tokens were requested. */
  readonly audiences: unknown[] = [];
  readonly #versions = new Map<string, Version>();
  readonly #server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => this.#answer(request),
  );

  /** Address of the registry, for `JSR_URL`. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/`;
  }

  /** Adds a version without checks. */
  add(config: PackageConfig, files: Files): void {
    this.#versions.set(`${config.name}@${config.version}`, { config, files });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    this.requests.push(`${request.method} ${pathname}`);
    if (pathname === "/oidc") return this.#issueToken(request, searchParams);
    const api = /^\/api\/scopes\/(\w+)\/packages\/(\w+)(?:\/versions\/([\w.]+))?$/.exec(pathname);
    if (api !== null) {
      const [, scope, name, version] = api, id = `@${scope}/${name}`;
      if (version === undefined) return Response.json({ scope, name });
      if (request.method === "POST") return await this.#publish(request, id, version);
      return this.#versions.has(`${id}@${version}`) ? Response.json({ version }) : missing();
    }
    const task = /^\/api\/publish_status\/([\w-]+)$/.exec(pathname);
    if (task !== null) return Response.json({ id: task[1], status: "success", error: null });
    return await this.#download(pathname);
  }

  #issueToken(request: Request, parameters: URLSearchParams): Response {
    if (request.headers.get("authorization") !== `Bearer ${TOKEN}`) return unauthorized();
    this.audiences.push(JSON.parse(parameters.get("audience")!));
    return Response.json({ value: OIDC_TOKEN });
  }

  async #publish(request: Request, name: string, version: string): Promise<Response> {
    const tarball = new Uint8Array(await request.arrayBuffer());
    const authorization = request.headers.get("authorization") ?? "";
    if (![`Bearer ${TOKEN}`, `githuboidc ${OIDC_TOKEN}`].includes(authorization)) {
      return unauthorized();
    }
    const files = await untar(tarball), refusals = findRefusals(files, { name, version });
    const config = new URL(request.url).searchParams.get("config");
    this.uploads.push({ tarball, files, config, refusals });
    const id = crypto.randomUUID();
    if (refusals.length > 0) {
      const error = { code: "refused", message: refusals.join("\n") };
      return Response.json({ id, status: "failure", error });
    }
    this.add(configOf(files), files);
    return Response.json({ id, status: "pending", error: null });
  }

  async #download(pathname: string): Promise<Response> {
    const [, name, rest] = /^\/(@\w+\/\w+)\/(.*)$/.exec(decodeURI(pathname)) ?? [];
    if (name === undefined) return missing();
    if (rest === "meta.json") return this.#versionsOf(name);
    const [, version, path] = /^([\d.]+)(_meta\.json|\/.*)$/.exec(rest!) ?? [];
    const found = this.#versions.get(`${name}@${version}`);
    if (found === undefined) return missing();
    if (path === "_meta.json") return Response.json(await manifestOf(found));
    const bytes = found.files.get(path!);
    return bytes === undefined ? missing() : new Response(bytes.slice());
  }

  #versionsOf(name: string): Response {
    const own = [...this.#versions.values()].filter(({ config }) => config.name === name)
      .map(({ config }) => config.version);
    if (own.length === 0) return missing();
    const [scope, plainName] = name.slice(1).split("/");
    return Response.json({
      scope,
      name: plainName,
      latest: own.at(-1),
      versions: Object.fromEntries(own.map((version) => [version, { createdAt: CREATED }])),
    });
  }
}

/** Returns a hash as JSR writes it. */
export async function checksumOf(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes.slice());
  return `sha256-${new Uint8Array(hash).toHex()}`;
}

/** The manifest without JSR's `moduleGraph2`, which only saves Deno the parsing of modules before it runs them. */
async function manifestOf({ config, files }: Version): Promise<object> {
  const entries = [...files].map(async ([path, bytes]) => {
    return [path, { size: bytes.length, checksum: await checksumOf(bytes) }] as const;
  });
  return { manifest: Object.fromEntries(await Promise.all(entries)), exports: config.exports };
}

function missing(): Response {
  return Response.json({ code: "notFound", message: "not found" }, { status: 404 });
}

function unauthorized(): Response {
  return Response.json({ code: "unauthorized", message: "wrong token" }, { status: 401 });
}
