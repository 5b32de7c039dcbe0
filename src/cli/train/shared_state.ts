/**
 * The state of a training that all machines begin with, and a hash of its frames.
 *
 * @module
 */

import { canonicalJson } from "../../base/canonical_json.ts";
import { hashModule } from "../../campaign/run/module_hash.ts";
import { partsOf } from "../../config/hooks/hook_module.ts";
import { storeOf } from "../../batch/system.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../../checkpoint/mod.ts";
import { builtin } from "../../platform/process.ts";
import type { TrainingGroup } from "../../training/group/training_group.ts";
import { CHECKPOINT_KIND, type SavedTrainer, SCHEMA } from "../../training/state/checkpoint.ts";
import type { TrainerCore } from "../../training/trainer.ts";
import type { Structure } from "../run/structures.ts";

/** Gives all machines the state of machine 0. Hooks that only machine 0 has are left out. */
export async function shareState(group: TrainingGroup, trainer: TrainerCore): Promise<void> {
  if (group.nodes === 1) return;
  if (group.rank === 0) {
    const data = await trainer.save();
    await group.share(encodeCheckpoint({ kind: CHECKPOINT_KIND, schema: SCHEMA, data }));
    return;
  }
  const { data } = decodeCheckpoint(await group.share(), { kind: CHECKPOINT_KIND, schema: SCHEMA });
  const saved = data as SavedTrainer, own = new Set(Object.keys((await trainer.save()).loop.hooks));
  const hooks = Object.entries(saved.loop.hooks).filter(([name]) => own.has(name));
  await trainer.load({ ...saved, loop: { ...saved.loop, hooks: Object.fromEntries(hooks) } });
}

/** Returns the hashes of the modules of `--hooks`; null for one that cannot be read, which is reported later. */
export async function hashHooks(specs: readonly string[]): Promise<readonly (string | null)[]> {
  const { pathToFileURL } = builtin("node:url"), { resolve } = builtin("node:path");
  return await Promise.all(specs.map((spec) =>
    hashModule(pathToFileURL(resolve(partsOf(spec)[0])))
      .then(({ hash }) => hash, () => null)
  ));
}

/** Returns the SHA-256 of frames with all their fields, in hexadecimal. */
export function hashFrames(structures: readonly Structure[]): string {
  const hash = builtin("node:crypto").createHash("sha256");
  for (const { system } of structures) {
    const { fields } = storeOf(system);
    for (const [name, { values }] of [...fields].sort(([a], [b]) => a < b ? -1 : 1)) {
      hash.update(`\n${name} ${values.length}\n`);
      hash.update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    }
    hash.update(`\n${canonicalJson(numbersIn(system.info))}\n`);
  }
  return hash.digest("hex");
}

/**
 * Returns the finite numbers of `info`, and the lists of them, such as energies and stresses. Its texts may be paths,
 * which differ between machines.
 */
function numbersIn(info: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(info).filter(([, value]) => areNumbers(value)));
}

function areNumbers(value: unknown): boolean {
  return Array.isArray(value) ? value.every(areNumbers) : Number.isFinite(value);
}
