/**
 * Compares the time to differentiate a model with the time to read it. It prints the time to build the graph of
 * ANI-1x with forces, from the decoded model to a graph that is ready to be encoded, and the time to decode its file,
 * in ms of CPU time. Runs in a separate process.
 *
 * @module
 */

import {
  decodeModel,
  FORCE_PASSES,
  gradient,
  Graph,
  type ModelProto,
  runPasses,
} from "../../src/onnx/mod.ts";
import { cpuOf, lowerQuartile } from "../dynamics/cpu.ts";

/** Turns of each; those of them that only warm up. */
const TURNS = 300, WARM = 200;

/** Does the work of `withForces` between reading and writing. */
export function build(model: ModelProto): Graph {
  const graph = new Graph(model);
  runPasses(graph, FORCE_PASSES);
  gradient(graph, { of: "energy", wrt: { positions: "slope" } });
  runPasses(graph, FORCE_PASSES);
  return graph;
}

if (import.meta.main) {
  const bytes = await Deno.readFile(`${Deno.args[0]}/ani1x_1_e.onnx`);
  const times: { parse: number[]; build: number[] } = { parse: [], build: [] };
  let nodes = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    let model: ModelProto | undefined;
    const parse = await cpuOf(() => model = decodeModel(bytes));
    const built = await cpuOf(() => nodes = build(model!).nodes.length);
    if (turn < WARM) continue;
    times.parse.push(parse);
    times.build.push(built);
  }
  const [parse, built] = [lowerQuartile(times.parse), lowerQuartile(times.build)];
  console.log(JSON.stringify({ parse, build: built, nodes }));
}
