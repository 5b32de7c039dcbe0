import type { NodeProto } from "../codec/messages.ts";
import type { GradientWriter } from "./gradient_writer.ts";
import type { Step } from "./rule.ts";

/** A node in the backward pass, in the form that rules receive. */
export class GradientStep implements Step {
  readonly node: NodeProto;
  readonly opset: number;
  readonly gradients: readonly (string | undefined)[];
  readonly wants: (input: number) => boolean;
  readonly #write: GradientWriter;

  constructor(
    node: NodeProto,
    gradients: readonly (string | undefined)[],
    wants: (input: number) => boolean,
    write: GradientWriter,
  ) {
    this.node = node;
    this.opset = write.graph.opset;
    this.gradients = gradients;
    this.wants = wants;
    this.#write = write;
  }

  get inputs(): readonly string[] {
    return this.node.input;
  }

  get outputs(): readonly string[] {
    return this.node.output;
  }

  get a(): string {
    return this.node.input[0] ?? "";
  }

  get b(): string {
    return this.node.input[1] ?? "";
  }

  get c(): string {
    return this.node.input[2] ?? "";
  }

  get y(): string {
    return this.node.output[0] ?? "";
  }

  get g(): string {
    return this.gradients[0] ?? this.#write.zeros(this.y);
  }
}
