/**
 * Viewers that are measured, and the scripts that drive them in their pages. Each script defines `start_` (shows a
 * text), `turn_` (draws after the camera turned), `move_` (draws with new positions) and `finish_` (waits for the
 * device).
 *
 * @module
 */

/** A viewer. */
export interface Subject {
  readonly title: string;
  /** Name of its script. */
  readonly page: string;
  readonly script: string;
}

/** A viewer from npm. */
export interface Peer extends Subject {
  readonly name: string;
  readonly version: string;
  /** Path of the script in the package. */
  readonly file: string;
}

function ours(renderer: string): string {
  return `
  globalThis.viewer = document.createElement("hooke-viewer");
  viewer.setAttribute("renderer", "${renderer}");
  viewer.style.height = "600px";
  stage.append(viewer);
  globalThis.start_ = async (text) => {
    globalThis.fetch = () => Promise.resolve(new Response(text)); // as the others get their text
    globalThis.view = await viewer.view;
    const shown = new Promise((done) => viewer.addEventListener("framechange", done, { once: true }));
    viewer.setAttribute("src", "/box.xyz");
    await shown;
    view.drawNow();
  };
  globalThis.turn_ = () => {
    view.camera = { ...view.camera, rotation: turned(view.camera.rotation) };
    view.drawNow();
  };
  globalThis.turned = ([x, y, z, w]) => {
    const s = Math.sin(0.03), c = Math.cos(0.03);
    return [c * x + s * z, c * y + s * w, c * z - s * x, c * w - s * y];
  };
  globalThis.move_ = (i) => {
    const { frame } = view, positions = frame.positions.slice();
    for (let k = 0; k < positions.length; k += 3) positions[k] += i % 2 === 0 ? 0.05 : -0.05;
    view.show({ ...frame, positions });
    view.drawNow();
  };
  globalThis.finish_ = () => view.settled();
  `;
}

/** Waits for a context of WebGL by reading a pixel. */
const FINISH = `
  globalThis.finish_ = () => {
    const gl = context_();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  };
`;

/** This package on both of its back-ends. */
export const OURS: readonly Subject[] = [
  { title: "Hooke, WebGL2", page: "viewer", script: ours("webgl2") },
  { title: "Hooke, WebGPU", page: "viewer", script: ours("webgpu") },
];

/** Other viewers. */
export const PEERS: readonly Peer[] = [
  {
    title: "3Dmol.js 2.5.5",
    page: "3dmol",
    name: "3dmol",
    version: "2.5.5",
    file: "build/3Dmol-min.js",
    script: `
    globalThis.viewer = $3Dmol.createViewer(stage, { backgroundColor: "white" });
    globalThis.context_ = () => viewer.getRenderer().getContext();
    globalThis.start_ = (text) => {
      globalThis.model = viewer.addModel(text, "pdb");
      viewer.setStyle({}, { stick: { radius: 0.11 }, sphere: { scale: 0.25 } });
      viewer.zoomTo();
      viewer.render();
    };
    globalThis.turn_ = () => { viewer.rotate(3, "y"); viewer.render(); };
    globalThis.move_ = (i) => {
      for (const atom of model.selectedAtoms({})) atom.x += i % 2 === 0 ? 0.05 : -0.05;
      viewer.setStyle({}, { stick: { radius: 0.11 }, sphere: { scale: 0.25 } }); // marks the shapes as old
      viewer.render();
    };
    ${FINISH}`,
  },
  {
    title: "NGL 2.5.0",
    page: "ngl",
    name: "ngl",
    version: "2.5.0",
    file: "dist/ngl.js",
    script: `
    globalThis.viewer = new NGL.Stage(stage, { backgroundColor: "white" });
    globalThis.context_ = () => viewer.viewer.renderer.getContext();
    globalThis.start_ = async (text) => {
      globalThis.component = await viewer.loadFile(new Blob([text]), { ext: "pdb" });
      component.addRepresentation("ball+stick", { sele: "all" });
      viewer.autoView(0);
      viewer.viewer.render();
      await new Promise((done) => viewer.tasks.onZeroOnce(done));
      viewer.viewer.render();
    };
    globalThis.turn_ = () => {
      viewer.viewerControls.spin(new NGL.Vector3(0, 1, 0), 0.05);
      viewer.viewer.render();
    };
    globalThis.move_ = (i) => {
      const { structure } = component, positions = new Float32Array(3 * structure.atomCount);
      structure.getAtomData && positions.set(structure.getAtomData({ what: { position: true } }).position);
      for (let k = 0; k < positions.length; k += 3) positions[k] += i % 2 === 0 ? 0.05 : -0.05;
      structure.updatePosition(positions);
      component.updateRepresentations({ position: true });
      viewer.viewer.render();
    };
    ${FINISH}`,
  },
];
