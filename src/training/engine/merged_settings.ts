/**
 * The settings of a trainer, merged from its options and its hooks.
 *
 * @module
 */

import { checkKeys } from "../../base/check_options.ts";
import { isObject } from "../../base/object.ts";
import { complaint } from "../../base/show.ts";
import { addTo, replaceBy, scaleBy, zero } from "../../onnx/taps/patches.ts";
import type { Graph } from "../../onnx/graph/graph.ts";
import type { HostFeed } from "../../onnx/session/session_tensor.ts";
import type { ActivationPatch, TrainerSettings } from "../context.ts";
import { type Loss, lossOf } from "../losses/loss.ts";
import { checkClip, checkCount, checkEma } from "../check_trainer_options.ts";

/** The settings of a step, with defaults applied. */
export interface MergedSettings extends TrainerSettings {
  readonly accumulate: number;
  readonly terms: readonly Loss[];
  readonly patches: readonly ActivationPatch[];
  readonly points: readonly string[];
}

const KINDS: readonly ActivationPatch["kind"][] = ["zero", "scale", "add", "replace"];

const OF_TERMS = new WeakMap<object, Loss>();

/**
 * Merges the options of a trainer with the settings of its hooks. If several hooks set a member, the last hook wins;
 * hooks override the options. Terms, patches and points of all hooks are combined.
 */
export function mergeSettings(
  options: TrainerSettings,
  hooks: readonly object[],
): MergedSettings {
  const asked = hooks.flatMap((hook) => {
    const { settings } = hook as { readonly settings?: unknown };
    if (settings === undefined) return [];
    checkSettings(settings);
    return [settings as TrainerSettings];
  });
  const last = <K extends "accumulate" | "clip" | "ema">(member: K) =>
    asked.findLast((each) => each[member] !== undefined)?.[member] ?? options[member];
  const [clip, ema] = [last("clip"), last("ema")];
  return {
    accumulate: last("accumulate") ?? 1,
    ...(clip !== undefined && { clip }),
    ...(ema !== undefined && { ema }),
    terms: asked.flatMap(({ terms = [] }) => terms.map(knownLoss)),
    patches: asked.flatMap(({ patches = [] }) => patches),
    points: asked.flatMap(({ points = [] }) => points),
  };
}

/**
 * Converts a term to a `Loss`. Returns the same object for the same term, so that graphs are rebuilt only after a
 * change.
 */
function knownLoss(given: Parameters<typeof lossOf>[0]): Loss {
  const known = OF_TERMS.get(given) ?? lossOf(given);
  OF_TERMS.set(given, known);
  return known;
}

function checkSettings(settings: unknown): void {
  const action = "follow the settings of a hook";
  if (!isObject(settings)) {
    throw new TypeError(complaint(action, "the settings must be an object", settings));
  }
  checkKeys(action, "its settings", settings, [
    "accumulate",
    "clip",
    "ema",
    "terms",
    "patches",
    "points",
  ]);
  const { accumulate, clip, ema, patches = [] } = settings as TrainerSettings;
  for (const { kind } of patches) {
    if (KINDS.includes(kind)) continue;
    throw new RangeError(complaint(action, `a patch must be one of ${KINDS.join(", ")}`, kind));
  }
  checkCount(action, "accumulate", accumulate, 1);
  checkClip(action, clip);
  checkEma(action, ema);
}

/**
 * Applies patches to a graph. Returns the values to feed to the inputs that the patches have added, by the name of
 * the input.
 */
export function applyPatches(
  graph: Graph,
  patches: readonly ActivationPatch[],
): Record<string, HostFeed> {
  const feeds: Record<string, HostFeed> = {};
  for (const patch of patches) {
    if (patch.kind === "zero") {
      zero(graph, patch.point);
      continue;
    }
    const by: HostFeed = patch.kind === "scale"
      ? { data: Float32Array.of(patch.by), dims: [] }
      : patch.by;
    const { input } = patch.kind === "scale"
      ? scaleBy(graph, patch.point)
      : patch.kind === "add"
      ? addTo(graph, patch.point, { shape: [...by.dims ?? [by.data.length]] })
      : replaceBy(graph, patch.point);
    feeds[input!] = by;
  }
  return feeds;
}
