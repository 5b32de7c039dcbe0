/**
 * The facts that identify a run, so that it can be repeated.
 *
 * @module
 */

import { canonicalText } from "../../base/canonical_json.ts";
import { configHash } from "../../base/config_hash.ts";
import { gitCommit } from "../../base/git_commit.ts";
import { isPlain } from "../../base/object.ts";
import { runIdOf } from "../../hooks/loop/progress.ts";
import type { RunInfo } from "../context.ts";
import type { TrainerParts } from "../trainer_options.ts";

/** Throws a TypeError if a configuration cannot be hashed. It may contain plain data, URLs and functions. */
export function checkConfig(config: unknown): void {
  if (config !== undefined) canonicalText(plainConfig(config), "config");
}

/**
 * Returns the facts of the run of a trainer, or `undefined` if its option `runInfo` is false. A fact that cannot be
 * determined is absent: reading the files of git needs a permission, and hashing needs a secure context.
 */
export async function runInfoOf(
  trainer: object,
  { config, runInfo }: TrainerParts,
): Promise<RunInfo | undefined> {
  if (runInfo === false) return undefined;
  const [commit, hash] = await Promise.all([gitCommit(), hashOf(config)]);
  return {
    id: runIdOf(trainer, crypto.randomUUID()),
    ...(commit !== "unknown" && { commit }),
    ...(hash !== undefined && { configHash: hash }),
  };
}

async function hashOf(config: unknown): Promise<string | undefined> {
  if (config === undefined || (crypto as Partial<Crypto>).subtle === undefined) return undefined;
  return await configHash(plainConfig(config));
}

/**
 * Returns a configuration as plain data. URLs become their text. Functions, such as the `write` of a log, are left
 * out, because they have no hash.
 */
export function plainConfig(config: unknown): unknown {
  if (Array.isArray(config)) return config.map(plainConfig);
  if (config instanceof URL) return config.href;
  if (typeof config !== "object" || config === null || !isPlain(config)) return config;
  const members = Object.entries(config).filter(([, value]) => typeof value !== "function");
  return Object.fromEntries(members.map(([name, value]) => [name, plainConfig(value)]));
}
