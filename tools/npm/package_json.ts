/**
 * The `package.json` of the package for npm.
 *
 * @module
 */

/** Members of deno.json that are used here. */
export interface Config {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
}

/** The members of `package.json`, of which the build reads the version. */
export type PackageJson = Readonly<Record<string, unknown>> & { readonly version: string };

/** Packages that add native code, WebGPU and queues. A program installs them only if it needs them. */
const OPTIONAL = {
  "onnxruntime-node": "1.30.0",
  "webgpu": "^0.6.2",
  "@nats-io/transport-node": "3.4.0",
  "@nats-io/jetstream": "3.4.0",
  "@nats-io/obj": "3.4.0",
};

/** Oldest version of Node that works: the first that has `node:sqlite` without a flag. */
export const OLDEST_NODE = "22.13";

/** Variables that GitHub sets for jobs. */
export interface GitHubVariables {
  readonly GITHUB_SERVER_URL?: string;
  /** Owner and name, as in `owner/name`. */
  readonly GITHUB_REPOSITORY?: string;
}

/**
 * Returns the content of `package.json`. Versions of packages are those of deno.json. If GitHub runs the build, the
 * content names the repository: without it, npm refuses a package with provenance.
 */
export function packageJson(config: Config, variables: GitHubVariables = {}): PackageJson {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = variables;
  return {
    name: config.name,
    version: config.version,
    description:
      "Molecular dynamics, relaxation and training over ONNX models, with hooks at every stage of a step",
    license: config.license,
    ...(server && repository && {
      repository: { type: "git", url: `git+${server}/${repository}.git` },
    }),
    type: "module",
    engines: { node: `>=${OLDEST_NODE}` },
    bin: { hooke: "bin/hooke.js" },
    exports: {
      ...Object.fromEntries(
        Object.entries(config.exports).map(([name, path]) => [name, exportOf(path)]),
      ),
      "./package.json": "./package.json",
    },
    files: ["bin", "dist", "types", "CHANGELOG.md"],
    dependencies: dependenciesOf(config.imports),
    peerDependencies: OPTIONAL,
    peerDependenciesMeta: Object.fromEntries(
      Object.keys(OPTIONAL).map((name) => [name, { optional: true }]),
    ),
  };
}

function exportOf(path: string): { readonly types: string; readonly default: string } {
  const name = path.replace(/^\.\//, "").replace(/\.ts$/, "");
  return { types: `./types/${name}.d.ts`, default: `./dist/${name}.js` };
}

/** `npm:NAME@VERSION` of deno.json → NAME: VERSION. `@std` is part of the bundle. */
function dependenciesOf(imports: Config["imports"]): Record<string, string> {
  return Object.fromEntries(
    Object.values(imports).flatMap((target) => {
      const [, name, version] = /^npm:(.+)@([^@]+)$/.exec(target) ?? [];
      return name === undefined || Object.hasOwn(OPTIONAL, name) ? [] : [[name, version!]];
    }),
  );
}
