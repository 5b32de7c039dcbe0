/**
 * Differences between the configuration of a run and that with which it shall continue.
 *
 * @module
 */

import { flagOf } from "../frame/option.ts";
import type { MdConfig } from "../md/config.ts";

/** A changed option. */
export interface Change {
  readonly name: string;
  readonly before: string;
  readonly now: string;
  /** False if results stay bitwise identical. */
  readonly changesResults: boolean;
}

/** Options that do not change results: they only make the run longer, faster, or safer. */
const HARMLESS: ReadonlySet<string> = new Set([
  "steps",
  "threads",
  "checkpointEvery",
  "signal",
  "epochs",
  "patience",
]);

/** Returns the options and facts in which two configurations differ. */
export function findChanges(known: MdConfig, now: MdConfig): readonly Change[] {
  const { facts: oldFacts, ...oldOptions } = known, { facts: newFacts, ...newOptions } = now;
  const all = [
    ...differences(oldOptions, newOptions, (name) => flagOf(name)),
    ...differences(oldFacts, newFacts, (name) => FACTS[name] ?? name),
  ];
  const { modelSha256 } = oldFacts;
  // A model that has been moved is the same if its content is.
  const isMoved = modelSha256 !== null && modelSha256 === newFacts.modelSha256;
  return isMoved ? all.filter(({ name }) => name !== flagOf("model")) : all;
}

/** Returns the options in which two configurations of trainings differ. */
export function findTrainingChanges(
  known: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): readonly Change[] {
  return differences(known, now, (name) => FACTS[name] ?? TRAINING[name] ?? `--${flagOf(name)}`);
}

/** Names of members of the configuration of a training that are not options. */
const TRAINING: Readonly<Record<string, string>> = {
  command: "the command",
  files: "the files of frames",
  modelOptions: "--set modelOptions",
};

const FACTS: Readonly<Record<string, string>> = {
  modelSha256: "SHA-256 of the model",
  hasPressure: "stresses of the potential",
};

function differences(
  before: object,
  now: object,
  nameOf: (name: string) => string,
): readonly Change[] {
  const [a, b] = [before, now] as Readonly<Record<string, unknown>>[];
  const names = [...new Set([...Object.keys(a!), ...Object.keys(b!)])];
  return names.filter((name) => shown(a![name]) !== shown(b![name])).map((name) => ({
    name: nameOf(name),
    before: shown(a![name]),
    now: shown(b![name]),
    changesResults: !HARMLESS.has(name),
  }));
}

function shown(value: unknown): string {
  if (value === undefined) return "not given";
  return typeof value === "string" ? value : sorted(value);
}

/** Returns JSON with sorted keys: a stored configuration has another order than a new one. */
function sorted(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, one) =>
      typeof one === "object" && one !== null && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => a < b ? -1 : 1))
        : one,
  );
}

/** Returns changes as text: "temperature was 40 and is 100; …". */
export function changesText(changes: readonly Change[]): string {
  return changes.map(({ name, before, now }) => `${name} was ${before} and is ${now}`).join("; ");
}
