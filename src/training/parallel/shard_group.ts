/**
 * Groups of shards, which one machine or several compute.
 *
 * @module
 */

/**
 * The division of each batch into shards, some of which this machine computes. The gradients of all shards are added
 * in the order of the shards. `openTrainingGroup` creates one.
 */
export interface ShardGroup {
  /** Number of shards of each batch. All bits of a training depend on it. */
  readonly shards: number;
  /** Index of the first shard that this machine computes. */
  readonly first: number;
  /** Index after the last shard that this machine computes. */
  readonly end: number;
  /**
   * Adds the means and the arrays of all machines, in the order of shards.
   *
   * @throws {GroupLostError} if a machine is lost
   */
  sum(addends: Addends): Promise<void>;
}

/** Contribution of a machine to a sum. */
export interface Addends {
  /** Sums of the means, with zeros at first. They are replaced by the totals. */
  readonly means: Float64Array;
  /** Adds the contribution of this machine to the means. */
  addMeans(means: Float64Array): void;
  /** Length of the array. */
  readonly length: number;
  /** Returns the array, which has the totals in the end. It is called again after each wait. */
  array(): Float32Array;
  /** Adds the contribution of this machine to the elements from `from` to below `to` of the array. */
  add(from: number, to: number): void;
}

/** Returns a group of which this process computes all shards. */
export function localShards(shards: number): ShardGroup {
  return {
    shards,
    first: 0,
    end: shards,
    sum: (addends) => {
      addends.addMeans(addends.means);
      addends.add(0, addends.length);
      return Promise.resolve();
    },
  };
}
