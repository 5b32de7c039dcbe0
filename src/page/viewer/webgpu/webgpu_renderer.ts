/**
 * The renderer on WebGPU.
 *
 * @module
 */

import { reasonOf } from "../../../base/show.ts";
import type { Renderer, RendererEvents, Scene } from "../renderer.ts";
import { CYLINDERS, SPHERES } from "./shaders.ts";

/** Samples per pixel, which smooth the edges of shapes. */
const SAMPLES = 4;

/** Uses of buffers and textures (WebGPU, sections 5.1.1 and 6.1.1), which not all type libraries name. */
const COPY_DST = 0x8, UNIFORM = 0x40, STORAGE = 0x80, RENDER_ATTACHMENT = 0x10;

/** Number of lost devices after which no other one is opened: a driver that fails each time would fail for ever. */
const MOST_LOSSES = 5;

/** Format of depths. */
const DEPTH: GPUTextureFormat = "depth32float";

type Bytes = Float32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** A buffer, and the array that is in it. */
interface Uploaded {
  readonly buffer: GPUBuffer;
  array: Bytes | undefined;
}

/** Objects of one device. */
interface Resources {
  readonly device: GPUDevice;
  readonly pipelines: readonly [spheres: GPURenderPipeline, cylinders: GPURenderPipeline];
  readonly view: GPUBuffer;
  readonly uploaded: Map<string, Uploaded>;
  /** Textures with several samples per pixel, of the size of the canvas. */
  targets: readonly [color: GPUTexture, depth: GPUTexture] | undefined;
}

/** Draws with WebGPU. */
export class WebgpuRenderer implements Renderer {
  readonly name = "webgpu";
  readonly #context: GPUCanvasContext;
  readonly #events: RendererEvents;
  #resources: Resources | undefined;
  #isClosed = false;
  /** Number of devices that were lost. */
  #losses = 0;

  private constructor(canvas: HTMLCanvasElement, resources: Resources, events: RendererEvents) {
    const context = canvas.getContext("webgpu") as GPUCanvasContext | null;
    if (context === null) throw new Error("Cannot draw atoms: the canvas gives no WebGPU context");
    this.#context = context;
    this.#events = events;
    this.#take(resources);
  }

  /**
   * Opens a device and takes the context of a canvas.
   *
   * @param allowsSoftware whether a device in software will do
   * @throws {Error} if the browser gives no device, or refuses a shader; the canvas has no context then
   */
  static async open(
    canvas: HTMLCanvasElement,
    allowsSoftware: boolean,
    events: RendererEvents,
  ): Promise<WebgpuRenderer> {
    return new WebgpuRenderer(canvas, await openResources(allowsSoftware), events);
  }

  draw(scene: Scene, view: Float32Array<ArrayBuffer>): void {
    const resources = this.#resources;
    if (resources === undefined) return;
    const { device } = resources, picture = this.#context.getCurrentTexture();
    device.queue.writeBuffer(resources.view, 0, view);
    const [color, depth] = targetsOf(resources, picture);
    const encoder = device.createCommandEncoder();
    const [r, g, b] = view.subarray(16, 19);
    const pass = encoder.beginRenderPass({
      colorAttachments: [{
        view: color.createView(),
        resolveTarget: picture.createView(),
        clearValue: { r: r!, g: g!, b: b!, a: 1 },
        loadOp: "clear",
        storeOp: "discard",
      }],
      depthStencilAttachment: {
        view: depth.createView(),
        depthClearValue: 1,
        depthLoadOp: "clear",
        depthStoreOp: "discard",
      },
    });
    const { spheres, sphereColors, cylinders, cylinderColors, offsets } = scene;
    const images = offsets.length / 4;
    const shapes = [
      ["spheres", spheres, sphereColors, spheres.length / 4],
      ["cylinders", cylinders, cylinderColors, cylinders.length / 8],
    ] as const;
    for (const [k, [name, array, colors, count]] of shapes.entries()) {
      if (count === 0) continue;
      const pipeline = resources.pipelines[k]!;
      const buffers = [
        resources.view,
        upload(resources, name, array),
        upload(resources, `${name} colors`, colors),
        upload(resources, "offsets", offsets),
      ];
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
        }),
      );
      pass.draw(4, count * images);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  async settled(): Promise<void> {
    await this.#resources?.device.queue.onSubmittedWorkDone();
  }

  close(): void {
    this.#isClosed = true;
    this.#resources?.device.destroy();
    this.#resources = undefined;
  }

  #take(resources: Resources): void {
    const { device } = resources;
    this.#resources = resources;
    this.#context.configure({
      device,
      format: navigator.gpu.getPreferredCanvasFormat(),
      alphaMode: "opaque",
    });
    void device.lost.then(() => this.#reopen());
  }

  /** Opens another device after the loss of one. */
  async #reopen(): Promise<void> {
    this.#resources = undefined;
    if (this.#isClosed) return;
    try {
      if (++this.#losses > MOST_LOSSES) throw new Error(`it was lost ${this.#losses} times`);
      const resources = await openResources(true);
      if (this.#isClosed) return resources.device.destroy();
      this.#take(resources);
      this.#events.onRestored();
    } catch (cause) {
      this.#events.onLost(
        new Error(`The graphics device was lost, and none can be opened: ${reasonOf(cause)}`, {
          cause,
        }),
      );
    }
  }
}

async function openResources(allowsSoftware: boolean): Promise<Resources> {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) {
    throw new Error("Cannot draw with WebGPU: the browser has no adapter for this page");
  }
  if (adapter.info.isFallbackAdapter && !allowsSoftware) {
    throw new Error("Cannot draw with WebGPU: the adapter is in software, where WebGL2 is faster");
  }
  const device = await adapter.requestDevice({
    // Structures with many images need more than the default of 128 MiB.
    requiredLimits: { maxStorageBufferBindingSize: adapter.limits.maxStorageBufferBindingSize },
  });
  try {
    const pipelines = await Promise.all(
      [SPHERES, CYLINDERS].map((code) => pipelineOf(device, code)),
    );
    const view = device.createBuffer({
      size: 96,
      usage: UNIFORM | COPY_DST,
    });
    return {
      device,
      pipelines: pipelines as [GPURenderPipeline, GPURenderPipeline],
      view,
      uploaded: new Map(),
      targets: undefined,
    };
  } catch (error) {
    device.destroy();
    throw error;
  }
}

function pipelineOf(device: GPUDevice, code: string): Promise<GPURenderPipeline> {
  const module = device.createShaderModule({ code });
  return device.createRenderPipelineAsync({
    layout: "auto",
    vertex: { module, entryPoint: "vertex" },
    fragment: {
      module,
      entryPoint: "fragment",
      targets: [{ format: navigator.gpu.getPreferredCanvasFormat() }],
    },
    primitive: { topology: "triangle-strip" },
    depthStencil: { format: DEPTH, depthWriteEnabled: true, depthCompare: "less" },
    multisample: { count: SAMPLES, alphaToCoverageEnabled: true },
  });
}

/** Returns the buffer with an array, which is uploaded if it is another one than before. */
function upload({ device, uploaded }: Resources, name: string, array: Bytes): GPUBuffer {
  let entry = uploaded.get(name);
  if (entry === undefined || entry.buffer.size !== array.byteLength) {
    entry?.buffer.destroy();
    const usage = STORAGE | COPY_DST;
    entry = { buffer: device.createBuffer({ size: array.byteLength, usage }), array: undefined };
    uploaded.set(name, entry);
  }
  if (entry.array !== array) device.queue.writeBuffer(entry.buffer, 0, array);
  entry.array = array;
  return entry.buffer;
}

function targetsOf(
  resources: Resources,
  { width, height, format }: GPUTexture,
): readonly [GPUTexture, GPUTexture] {
  const { targets, device } = resources;
  if (targets?.[0].width === width && targets[0].height === height) return targets;
  targets?.forEach((texture) => texture.destroy());
  const texture = (its: GPUTextureFormat) =>
    device.createTexture({
      size: [width, height],
      format: its,
      sampleCount: SAMPLES,
      usage: RENDER_ATTACHMENT,
    });
  return resources.targets = [texture(format), texture(DEPTH)];
}
