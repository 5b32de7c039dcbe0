/**
 * Tensors within the model that hooks change.
 *
 * The graph is fed the difference from the original tensor, so that gradients flow through a changed tensor as
 * through the original one. A gate switches off the difference of an unchanged tensor, so that its bits stay the
 * same.
 *
 * @module
 */

import type { Graph } from "../../onnx/graph/graph.ts";
import type { HostFeed } from "../../onnx/session/session_tensor.ts";
import { expose } from "../../onnx/taps/expose.ts";
import { addTo } from "../../onnx/taps/patches.ts";
import type { Patch } from "../../onnx/taps/patch.ts";
import { points as pointsOf } from "../../onnx/taps/points.ts";
import type { Activation, TrainingBatch } from "../context.ts";
import type { Runner } from "../graph/runner.ts";

/** Makes the tensors whose names match a pattern changeable. Returns the patches of the graph, one per tensor. */
export function openPoints(graph: Graph, patterns: readonly string[]): Patch[] {
  if (patterns.length === 0) return [];
  const isMoving = ({ kind, type }: ReturnType<typeof pointsOf>[number]) =>
    type === "f32" && (kind === "value" || kind === "output");
  const names = pointsOf(graph, patterns).filter(isMoving).map(({ name }) => name);
  if (names.length === 0) {
    throw new RangeError(
      `Cannot change tensors of the model: points must name float32 tensors that it computes; got ${
        patterns.join(", ")
      }`,
    );
  }
  return names.map((name) => addTo(graph, name, { gate: true }));
}

/** The patches of a model by which hooks may change its tensors, and the runner that computes the original tensors. */
export interface Changeable {
  readonly points: readonly Patch[];
  readonly runner: Pick<Runner, "unchanged">;
  readonly patchFeeds: Readonly<Record<string, HostFeed>>;
}

/** Original tensors that hooks may change, and the feeds that apply the changes. */
export interface PipedTensors {
  /** The original tensors, by name. */
  readonly given: ReadonlyMap<string, Activation>;
  /**
   * Returns the feeds that turn the original tensors into `next`. Throws a RangeError for an unknown name or a wrong
   * length.
   */
  feedsOf(next: ReadonlyMap<string, Activation>): Record<string, HostFeed>;
}

/**
 * Computes the original values of the tensors that hooks may change. `parameters` is the name of the array with the
 * parameters.
 */
export async function tensorsToPipe(
  { points, runner, patchFeeds }: Changeable,
  batch: TrainingBatch,
  parameters: string,
): Promise<PipedTensors> {
  const names = points.map(({ tensor }) => tensor);
  const show = (graph: Graph) => void expose(graph, names);
  const seen = await runner.unchanged(batch, show, patchFeeds, parameters);
  const given = new Map(names.map((name) => [name, seen.get(name)!]));
  return { given, feedsOf: (next) => changes(points, given, next) };
}

function changes(
  patches: readonly Patch[],
  given: ReadonlyMap<string, Activation>,
  next: ReadonlyMap<string, Activation>,
): Record<string, HostFeed> {
  const strange = [...next.keys()].find((name) => !given.has(name));
  if (strange !== undefined) {
    throw new RangeError(
      `Cannot change tensors of the model: the hook must return tensors among ${
        [...given.keys()].join(", ")
      }; got ${strange}`,
    );
  }
  const feeds: Record<string, HostFeed> = {};
  for (const { tensor, input, gate } of patches) {
    const before = given.get(tensor)!, after = next.get(tensor) ?? before;
    if (after.data.length !== before.data.length) {
      throw new RangeError(
        `Cannot change ${tensor}: it must keep its ${before.data.length} numbers; got ${after.data.length}`,
      );
    }
    const isOn = after.data !== before.data;
    const data = Float32Array.from(before.data, (x, i) => isOn ? after.data[i]! - x : 0);
    feeds[input!] = { data, dims: before.dims };
    feeds[gate!] = { data: Uint8Array.of(isOn ? 1 : 0), dims: [] };
  }
  return feeds;
}
