/**
 * Adds a gradient rule for an operator that Hooke does not have a rule for: onnxruntime's QuickGelu, y = a · σ(α·a),
 * which optimized models contain. The rule is compared with finite differences, twice, then a graph with the operator
 * is differentiated and run.
 *
 * Run: `deno run -P=onnx examples/own_gradient_rule.ts`
 */
import { GraphBuilder } from "@hooke/hooke";
import { dataOf, floatAttribute, gradient, gradientRules, openSession } from "@hooke/hooke/onnx";
import { checkRule } from "@hooke/hooke/testing/onnx";

const QUICK_GELU = "com.microsoft.QuickGelu";

// The derivative is σ + α·y·(1 − σ). All its operators have rules, so it can be differentiated again.
const rules = gradientRules.on([QUICK_GELU, Number], () => ({ node, a, y, g }, write) => {
  const alpha = floatAttribute(node, "alpha", Math.fround(1.702));
  const s = write.make("Sigmoid", [write.mul(a, alpha)]);
  const bend = write.mul(write.mul(y, write.sub(1, s)), alpha);
  return [write.mul(g, write.add(s, bend))];
});

checkRule({ op: QUICK_GELU, rules, inputs: [{ dims: [2, 3] }] });
checkRule({
  op: QUICK_GELU,
  rules,
  inputs: [{ dims: [4] }],
  attributes: { alpha: { float: 0.5 } },
});
console.log("the rule has the slope that differences have, and so has its slope");

const builder = new GraphBuilder("own rule");
const x = builder.input("x", "f32", ["N"]);
const { graph } = builder;
const [made] = graph.add("QuickGelu", [x.name], { domain: "com.microsoft" }).output;
builder.output("y", builder.reduceSum({ name: made!, type: "f32" }, [0]), []);
const { added } = gradient(graph, { of: "y", wrt: { x: "slope" }, rules });
console.log(`${added} nodes more`);

await using session = await openSession(graph.encode());
const outputs = await session.run({ x: { data: Float32Array.of(-1, 0, 1) } });
const slope = dataOf(outputs, "slope", "float32");
for (const [i, at] of [-1, 0, 1].entries()) console.log(`at ${at}: ${slope[i]!.toFixed(6)}`);
