/**
 * Bodies that take turns, so that whatever else the machine does hits all of them.
 *
 * @module
 */

import process from "node:process";
import { lowerQuartile } from "./dynamics/cpu.ts";

/** Milliseconds of one event: the lower quartiles of all turns. */
export interface Cost {
  /** By the clock. */
  readonly wall: number;
  /** Of all threads of this process, those of a GPU in software among them. */
  readonly cpu: number;
}

/** Options of the turns. */
export interface Turns {
  /** Turns of each that count. */
  readonly turns: number;
  /** Turns of each before. @default 1 */
  readonly warm?: number;
  /** Events in a turn. */
  readonly events: number;
}

/** Lets bodies take turns, each round beginning with another one. A body has done its work when it is settled. */
export async function takeTurns<const K extends string>(
  bodies: Readonly<Record<K, () => unknown>>,
  { turns, warm = 1, events }: Turns,
): Promise<Record<K, Cost>> {
  const names = Object.keys(bodies) as K[];
  const costs = new Map(names.map((name) => [name, { wall: [] as number[], cpu: [] as number[] }]));
  for (let round = -warm; round < turns; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round + warm) % names.length]!;
      const cpu = process.cpuUsage(), wall = performance.now();
      await bodies[name]();
      const took = performance.now() - wall, { user, system } = process.cpuUsage(cpu);
      if (round < 0) continue;
      costs.get(name)!.wall.push(took / events);
      costs.get(name)!.cpu.push((user + system) / 1e3 / events);
    }
  }
  const entries = names.map((name) => {
    const { wall, cpu } = costs.get(name)!;
    return [name, { wall: lowerQuartile(wall), cpu: lowerQuartile(cpu) }];
  });
  return Object.fromEntries(entries);
}
