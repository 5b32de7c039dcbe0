/**
 * A picture of atoms on a canvas.
 *
 * @module
 */

import type { ViewerFrame } from "../protocol.ts";
import {
  type Camera,
  cameraOf,
  lookingAlong,
  type PictureSize,
  type Projected,
  projection,
} from "./camera.ts";
import { atomColors, BY_ELEMENT, type ColorScale, scaleOf } from "./color_by.ts";
import { measure, type Measurement } from "./measuring.ts";
import { openRenderer, type RendererChoice } from "./open_renderer.ts";
import { pickAtom, type PickedAtom } from "./picking.ts";
import { type Renderer, type Scene, viewOf } from "./renderer.ts";
import { FIRST_LOOK, type FrameShapes, type Look, placeOf, sceneOf, shapesOf } from "./scene.ts";
import { LIGHT, type ViewColors } from "./theme.ts";
import type { Vector } from "./vector.ts";

/** Options of {@linkcode openAtomView}. */
export interface AtomViewOptions {
  /** Way to draw. @default "auto" */
  readonly renderer?: RendererChoice;
  /** Colors. @default those of a light page */
  readonly colors?: ViewColors;
  /** Receives a call after each picture. */
  readonly onDraw?: () => void;
  /** Receives an error if the graphics device is lost and cannot be opened again. */
  readonly onLost?: (error: Error) => void;
}

/** Everything that decides a picture. */
interface State {
  readonly frame: ViewerFrame | undefined;
  readonly look: Look;
  readonly colorBy: string;
  readonly scale: ColorScale | undefined;
  readonly camera: Camera;
  readonly selection: readonly PickedAtom[];
  readonly colors: ViewColors;
}

/**
 * Opens a view on a canvas, which keeps its size in the page.
 *
 * @throws {Error} if the browser has no way to draw
 */
export async function openAtomView(
  canvas: HTMLCanvasElement,
  options: AtomViewOptions = {},
): Promise<AtomView> {
  const opened: { view?: AtomView } = {};
  const renderer = await openRenderer(canvas, options.renderer ?? "auto", {
    onRestored: () => opened.view?.redraw(),
    onLost: options.onLost ?? (() => {}),
  });
  return opened.view = new AtomView(canvas, renderer, options);
}

/** A view: a frame, a camera, and what is selected. It draws when something changes, and is idle otherwise. */
export class AtomView {
  /** Canvas of the view. */
  readonly canvas: HTMLCanvasElement;
  readonly #renderer: Renderer;
  readonly #onDraw: () => void;
  readonly #resized: ResizeObserver;
  #state: State;
  #shapes: FrameShapes | undefined;
  #scene: Scene | undefined;
  /** Request of the next picture; undefined while nothing changes. */
  #request: number | undefined;
  #drawn = 0;

  /** Use `openAtomView`, which opens the renderer. */
  constructor(
    canvas: HTMLCanvasElement,
    renderer: Renderer,
    { colors = LIGHT, onDraw = () => {} }: AtomViewOptions,
  ) {
    this.canvas = canvas;
    this.#renderer = renderer;
    this.#onDraw = onDraw;
    this.#state = {
      frame: undefined,
      look: FIRST_LOOK,
      colorBy: BY_ELEMENT,
      scale: undefined,
      camera: cameraOf([0, 0, 0], 10),
      selection: [],
      colors,
    };
    this.#resized = new ResizeObserver(() => this.redraw());
    this.#resized.observe(canvas);
  }

  /** The renderer: `"webgl2"` or `"webgpu"`. */
  get renderer(): "webgl2" | "webgpu" {
    return this.#renderer.name;
  }

  /** Number of pictures drawn so far. */
  get drawn(): number {
    return this.#drawn;
  }

  /** The frame on view. */
  get frame(): ViewerFrame | undefined {
    return this.#state.frame;
  }

  /** The shapes on view. */
  get shapes(): FrameShapes | undefined {
    return this.#shapes;
  }

  /** The look of the picture. */
  get look(): Look {
    return this.#state.look;
  }

  /** The name of the field that colors the atoms, or `"element"`. */
  get colorBy(): string {
    return this.#state.colorBy;
  }

  /** Values that the colors cover; undefined if atoms are colored by element. */
  get scale(): ColorScale | undefined {
    return this.#state.scale;
  }

  /** The camera. */
  get camera(): Camera {
    return this.#state.camera;
  }

  set camera(camera: Camera) {
    this.#change({ camera });
  }

  /** Selected atoms, in the order in which they were picked. */
  get selection(): readonly PickedAtom[] {
    return this.#state.selection;
  }

  /** Size of the picture, in pixels of the canvas. */
  get size(): PictureSize {
    return { width: this.canvas.width, height: this.canvas.height };
  }

  /**
   * Shows a frame. The camera stays, unless this is the first frame or the number of atoms changed.
   *
   * @throws {RangeError} if an array has the wrong length, or the images have too many atoms
   */
  show(frame: ViewerFrame): void {
    checkFrame(frame);
    const { frame: before, look, colorBy, scale, selection } = this.#state;
    const isSame = before?.numbers.length === frame.numbers.length;
    this.#shapes = shapesOf(frame, look);
    this.#scene = undefined;
    this.#change({
      frame,
      scale: scaleOf(frame, colorBy, isSame ? scale : undefined),
      selection: isSame ? this.#placed(selection) : [],
    });
    if (!isSame) this.reset();
  }

  /** Changes the look. The camera is reset if the images change. */
  setLook(look: Partial<Look>): void {
    const all = { ...this.#state.look, ...look }, { frame, selection } = this.#state;
    if (frame !== undefined) this.#shapes = shapesOf(frame, all);
    this.#scene = undefined;
    this.#change({
      look: all,
      selection: look.repeat === undefined ? this.#placed(selection) : [],
    });
    if (look.repeat !== undefined) this.reset();
  }

  /** Colors atoms by element, or by a field of the frames. */
  setColorBy(colorBy: string): void {
    const { frame } = this.#state;
    this.#scene = undefined;
    this.#change({ colorBy, scale: frame && scaleOf(frame, colorBy, undefined) });
  }

  /** Sets colors that do not belong to atoms. */
  setColors(colors: ViewColors): void {
    this.#scene = undefined;
    this.#change({ colors });
  }

  /** Selects atoms. */
  select(selection: readonly PickedAtom[]): void {
    this.#scene = undefined;
    this.#change({ selection });
  }

  /** Returns the foremost atom at a place in pixels of the canvas; undefined if there is none. */
  pick(at: readonly [x: number, y: number]): PickedAtom | undefined {
    return this.#shapes && pickAtom(this.#shapes, this.camera, at, this.size);
  }

  /** Returns the place of a point of the model: pixels from the left and the top, and the distance towards the reader, Å. */
  project(point: Vector): Projected {
    return projection(this.camera, this.size)(point);
  }

  /** Returns an atom of the first image, for a selection. */
  atomAt(atom: number): PickedAtom {
    return this.#placed([{ atom, image: 0, position: [0, 0, 0] }])[0]!;
  }

  /** Measures between the selected atoms; undefined unless two, three or four are selected. */
  measured(): Measurement | undefined {
    return measure(this.selection.map(({ position }) => position), this.#shapes?.lattice);
  }

  /** Shows the whole structure, from the first direction or the current one. */
  reset(keepsDirection: boolean = false): void {
    const { center, radius } = this.#shapes ?? { center: [0, 0, 0] as const, radius: 10 };
    this.camera = cameraOf(center, radius, keepsDirection ? this.camera.rotation : undefined);
  }

  /** Turns the camera so that a direction points towards the reader. */
  lookAlong(direction: Vector, upwards: Vector): void {
    this.camera = lookingAlong(this.camera, direction, upwards);
  }

  /** Draws again before the browser's next frame. */
  redraw(): void {
    this.#request ??= requestAnimationFrame(() => this.drawNow());
  }

  /** Draws at once. */
  drawNow(): void {
    if (this.#request !== undefined) cancelAnimationFrame(this.#request);
    this.#request = undefined;
    this.#fit();
    const shapes = this.#shapes, { camera, colors } = this.#state;
    const scene = this.#scene ??= shapes === undefined ? EMPTY : this.#painted(shapes);
    this.#renderer.draw(scene, viewOf(camera, this.size, scene, colors));
    this.#drawn++;
    this.#onDraw();
  }

  /** Waits until the device has drawn everything. */
  settled(): Promise<void> {
    return this.#renderer.settled();
  }

  /** Returns the picture as a PNG file. */
  toBlob(): Promise<Blob> {
    this.drawNow(); // browsers clear the canvas of a picture that is on the screen
    return new Promise((resolve, reject) => {
      this.canvas.toBlob((blob) => {
        if (blob === null) reject(new Error("Cannot save the picture: the canvas has no area"));
        else resolve(blob);
      }, "image/png");
    });
  }

  /** Stops drawing and releases the device. */
  close(): void {
    if (this.#request !== undefined) cancelAnimationFrame(this.#request);
    this.#resized.disconnect();
    this.#renderer.close();
  }

  #change(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    this.redraw();
  }

  #painted(shapes: FrameShapes): Scene {
    const { scale, colors, selection } = this.#state;
    return sceneOf(shapes, {
      atoms: atomColors(shapes.frame, scale),
      edges: colors.edges,
      selected: new Set(selection.map(({ atom }) => atom)),
    });
  }

  /** Returns the selection at the places of the shapes on view. */
  #placed(selection: readonly PickedAtom[]): PickedAtom[] {
    return selection.map(({ atom, image }) => ({
      atom,
      image,
      position: placeOf(this.#shapes!, atom, image),
    }));
  }

  /** Gives the canvas as many pixels as the screen has in its place. */
  #fit(): void {
    const { canvas } = this, ratio = globalThis.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
  }
}

const NOTHING = new Float32Array(0), NO_COLORS = new Uint8Array(0);
const EMPTY: Scene = {
  spheres: NOTHING,
  sphereColors: NO_COLORS,
  cylinders: NOTHING,
  cylinderColors: NO_COLORS,
  offsets: new Float32Array(4),
  radius: 1,
  center: [0, 0, 0],
};

function checkFrame({ numbers, positions, cell, fields = {} }: ViewerFrame): void {
  const check = (name: string, length: number, expected: number) => {
    if (length === expected) return;
    throw new RangeError(
      `${name} of a frame of ${numbers.length} atoms must have ${expected} numbers; got ${length}`,
    );
  };
  check("positions", positions.length, 3 * numbers.length);
  if (cell !== undefined) check("cell", cell.length, 9);
  for (const [name, values] of Object.entries(fields)) {
    const width = Math.max(1, Math.round(values.length / numbers.length));
    check(name, values.length, width * numbers.length);
  }
}
