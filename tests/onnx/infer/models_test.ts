/** Shapes of real potentials against what the program that exported them wrote into the files. */
import { assert, assertEquals } from "@std/assert";
import { GraphFacts } from "../../../src/onnx/infer/facts.ts";
import { readFileLength } from "../../../src/onnx/infer/length.ts";
import { decodeModel, Graph } from "../../../src/onnx/mod.ts";
import { MODELS, modelTest, readModel, SMALL_MODELS } from "../shared_models.ts";
import { few } from "../../suite.ts";

/** A model's graph as its file is, and another one with nothing said of what is between inputs and outputs. */
function both(name: string): { readonly said: Graph; readonly silent: Graph } {
  const model = decodeModel(readModel(name));
  model.graph!.valueInfo = [];
  return { said: new Graph(decodeModel(readModel(name))), silent: new Graph(model) };
}

for (const model of few(SMALL_MODELS, MODELS)) {
  modelTest(
    `types and shapes inferred for ${model} agree with its file at every node`,
    () => {
      const { said, silent } = both(model), facts = new GraphFacts(silent);
      const wrong: string[] = [];
      let count = 0;
      for (const name of silent.nodes.flatMap(({ output }) => output)) {
        const { type, shape } = facts.of(name), file = said.shape(name);
        assert(type !== undefined && shape !== undefined, `${name} is unknown`);
        if (said.type(name) !== undefined && said.type(name) !== type) {
          wrong.push(`${name}: ${type}`);
        }
        // Where the file leaves a length open, nothing contradicts it.
        const isSame = file?.every((length, axis) =>
          length === undefined ||
          shape[axis] === (typeof length === "string" ? readFileLength(length) : length)
        );
        if (isSame === false || (file && file.length !== shape.length)) {
          wrong.push(`${name}: [${shape}], [${file}] in the file`);
        }
        if (`${shape}`.includes("?")) wrong.push(`${name}: [${shape}]`);
        count++;
      }
      assertEquals(wrong, []);
      assert(count > 40, `${count} values are too few`);
    },
  );

  modelTest(
    `inference for ${model} does not depend on declarations`,
    () => {
      const { said, silent } = both(model),
        own = new GraphFacts(silent),
        told = new GraphFacts(said);
      for (const name of silent.nodes.flatMap(({ output }) => output)) {
        assertEquals(told.of(name), own.of(name), name);
      }
    },
  );
}
