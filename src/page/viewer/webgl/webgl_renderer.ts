/**
 * The renderer on WebGL2, which all current browsers have.
 *
 * @module
 */

import { type Renderer, type RendererEvents, type Scene, VIEW_FLOATS } from "../renderer.ts";
import { CYLINDERS, type ShaderPair, SPHERES } from "./shaders.ts";

/** Input of a shader: numbers per instance. Colors are bytes, which the shader reads from 0 to 1. */
interface Input {
  readonly array: (scene: Scene) => Float32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;
  /** Offsets in bytes of its parts of four numbers, and the number of bytes per instance. */
  readonly parts: readonly number[];
  readonly stride: number;
  readonly isColor: boolean;
}

interface Shape {
  readonly program: WebGLProgram;
  readonly view: WebGLUniformLocation | null;
  readonly offset: WebGLUniformLocation | null;
  readonly vertices: WebGLVertexArrayObject;
  readonly buffers: readonly { readonly input: Input; readonly buffer: WebGLBuffer }[];
}

const SPHERE_INPUTS: readonly Input[] = [
  { array: (scene) => scene.spheres, parts: [0], stride: 16, isColor: false },
  { array: (scene) => scene.sphereColors, parts: [0], stride: 4, isColor: true },
];
const CYLINDER_INPUTS: readonly Input[] = [
  { array: (scene) => scene.cylinders, parts: [0, 16], stride: 32, isColor: false },
  { array: (scene) => scene.cylinderColors, parts: [0], stride: 4, isColor: true },
];

/** Objects of one context. They do not survive the loss of the context. */
interface Resources {
  readonly shapes: readonly [spheres: Shape, cylinders: Shape];
  /** Arrays that are in the buffers. */
  readonly uploaded: Map<WebGLBuffer, ArrayBufferView>;
}

/** Draws with WebGL2. */
export class WebglRenderer implements Renderer {
  readonly name = "webgl2";
  readonly #gl: WebGL2RenderingContext;
  readonly #listening: AbortController = new AbortController();
  #resources: Resources | undefined;

  /**
   * Takes the context of a canvas.
   *
   * @throws {Error} if the browser gives no context, or refuses a shader
   */
  constructor(canvas: HTMLCanvasElement, { onRestored, onLost }: RendererEvents) {
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: true, depth: true });
    if (gl === null) {
      throw new Error("Cannot draw atoms: the browser has neither WebGPU nor WebGL2 for this page");
    }
    this.#gl = gl;
    this.#resources = resourcesOf(gl);
    const { signal } = this.#listening;
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault(); // otherwise the browser never restores the context
      this.#resources = undefined;
    }, { signal });
    canvas.addEventListener("webglcontextrestored", () => {
      try {
        this.#resources = resourcesOf(gl);
        onRestored();
      } catch (error) {
        onLost(error as Error);
      }
    }, { signal });
  }

  draw(scene: Scene, view: Float32Array<ArrayBuffer>): void {
    const gl = this.#gl, resources = this.#resources;
    if (resources === undefined || gl.isContextLost()) return;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
    gl.clearColor(view[16]!, view[17]!, view[18]!, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const { spheres, cylinders, offsets } = scene;
    const counts = [spheres.length / 4, cylinders.length / 8];
    for (const [k, shape] of resources.shapes.entries()) {
      if (counts[k] === 0) continue;
      this.#upload(scene, shape, resources.uploaded);
      gl.useProgram(shape.program);
      gl.bindVertexArray(shape.vertices);
      gl.uniform4fv(shape.view, view.subarray(0, VIEW_FLOATS));
      for (let at = 0; at < offsets.length; at += 4) {
        gl.uniform3f(shape.offset, offsets[at]!, offsets[at + 1]!, offsets[at + 2]!);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, counts[k]!);
      }
    }
    gl.bindVertexArray(null);
  }

  #upload(scene: Scene, { buffers }: Shape, uploaded: Resources["uploaded"]): void {
    const gl = this.#gl;
    for (const { input, buffer } of buffers) {
      const array = input.array(scene), before = uploaded.get(buffer);
      if (before === array) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      if (before?.byteLength === array.byteLength) gl.bufferSubData(gl.ARRAY_BUFFER, 0, array);
      else gl.bufferData(gl.ARRAY_BUFFER, array, gl.DYNAMIC_DRAW);
      uploaded.set(buffer, array);
    }
  }

  settled(): Promise<void> {
    // Reading a pixel waits for all commands before it.
    const gl = this.#gl;
    if (!gl.isContextLost()) {
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    }
    return Promise.resolve();
  }

  close(): void {
    this.#listening.abort();
    this.#resources = undefined;
    this.#gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

function resourcesOf(gl: WebGL2RenderingContext): Resources {
  return {
    shapes: [shapeOf(gl, SPHERES, SPHERE_INPUTS), shapeOf(gl, CYLINDERS, CYLINDER_INPUTS)],
    uploaded: new Map(),
  };
}

function shapeOf(gl: WebGL2RenderingContext, shaders: ShaderPair, inputs: readonly Input[]): Shape {
  const program = programOf(gl, shaders), vertices = gl.createVertexArray();
  gl.bindVertexArray(vertices);
  let location = 0;
  const buffers = inputs.map((input) => {
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    const type = input.isColor ? gl.UNSIGNED_BYTE : gl.FLOAT;
    for (const part of input.parts) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, 4, type, input.isColor, input.stride, part);
      gl.vertexAttribDivisor(location++, 1);
    }
    return { input, buffer };
  });
  gl.bindVertexArray(null);
  return {
    program,
    vertices,
    buffers,
    view: gl.getUniformLocation(program, "view"),
    offset: gl.getUniformLocation(program, "offset"),
  };
}

function programOf(gl: WebGL2RenderingContext, { vertex, fragment }: ShaderPair): WebGLProgram {
  const program = gl.createProgram();
  const shaders = ([[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const)
    .map(([type, source]) => {
      const shader = gl.createShader(type);
      if (shader === null) return undefined; // the context was lost meanwhile
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      return shader;
    });
  gl.linkProgram(program);
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true && !gl.isContextLost()) {
    const log = [
      gl.getProgramInfoLog(program),
      ...shaders.map((shader) => shader && gl.getShaderInfoLog(shader)),
    ];
    throw new Error(
      `Cannot draw atoms: WebGL2 refuses a shader: ${log.filter(Boolean).join("; ")}`,
    );
  }
  return program;
}
