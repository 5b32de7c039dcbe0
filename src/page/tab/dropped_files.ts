/**
 * Files that the user has dropped or picked, sorted by what they are.
 *
 * @module
 */

import { h } from "../app/element.ts";
import type { TabFile } from "./messages.ts";

/** Largest file, bytes. A browser cannot hold much larger ones in a tab. */
const LARGEST = 1 << 30;

/** Place where files are dropped, and the list of those that are there. */
export class DroppedFiles {
  readonly root: HTMLElement;
  readonly #list: HTMLElement = h("ul.dropped");
  readonly #changed: () => void;
  readonly #complain: (message: string) => void;
  #files: readonly TabFile[] = [];

  constructor(changed: () => void, complain: (message: string) => void) {
    this.#changed = changed;
    this.#complain = complain;
    const input: HTMLInputElement = h("input.unseen", {
      type: "file",
      id: "files",
      multiple: true,
      onchange: async () => {
        await this.#take(input.files);
        input.value = "";
      },
    });
    const example = h(
      "button",
      { type: "button", onclick: () => this.add([argon()]) },
      "Use argon",
    );
    const zone = h(
      "label.drop",
      { for: "files" },
      h("strong", {}, "Drop files here, or choose them"),
      h(
        "span.note",
        {},
        "Structures (.xyz, .cif, POSCAR and others). For elements other than noble gases also a potential (.onnx), and its manifest (.json) if it has one.",
      ),
    );
    const over = (isOver: boolean) => (event: DragEvent) => {
      event.preventDefault();
      zone.toggleAttribute("data-over", isOver);
    };
    zone.addEventListener("dragover", over(true));
    zone.addEventListener("dragleave", over(false));
    zone.addEventListener("drop", async (event) => {
      over(false)(event);
      await this.#take(event.dataTransfer?.files ?? null);
    });
    this.root = h(
      "div.files-in",
      {},
      input,
      zone,
      this.#list,
      h("p.note", {}, "No file at hand? ", example),
    );
  }

  /** All files. */
  get all(): readonly TabFile[] {
    return this.#files;
  }

  /** Files of structures. */
  get structures(): readonly TabFile[] {
    return this.#files.filter(({ name }) => !/\.(onnx|json)$/i.test(name));
  }

  /** The potential. */
  get model(): TabFile | undefined {
    return this.#files.findLast(({ name }) => /\.onnx$/i.test(name));
  }

  /** The manifest of the potential. */
  get manifest(): TabFile | undefined {
    return this.#files.findLast(({ name }) => /\.json$/i.test(name));
  }

  /** Adds files. A file replaces an earlier one of its name. */
  add(files: readonly TabFile[]): void {
    const names = new Set(files.map(({ name }) => name));
    this.#files = [...this.#files.filter(({ name }) => !names.has(name)), ...files];
    this.#show();
  }

  async #take(files: FileList | null): Promise<void> {
    const taken: TabFile[] = [];
    for (const file of files ?? []) {
      if (file.size > LARGEST) {
        this.#complain(`Cannot read ${file.name}: it has more than ${LARGEST / 2 ** 30} GB`);
        continue;
      }
      try {
        taken.push({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#complain(`Cannot read ${file.name}: ${reason}`);
      }
    }
    this.add(taken);
  }

  #show(): void {
    this.#list.replaceChildren(...this.#files.map((file) =>
      h(
        "li",
        {},
        h("span", {}, file.name),
        h("span.note", {}, sizeText(file.bytes.length)),
        h("button.quiet", {
          type: "button",
          "aria-label": `Remove ${file.name}`,
          onclick: () => {
            this.#files = this.#files.filter((other) => other !== file);
            this.#show();
          },
        }, "Remove"),
      )
    ));
    this.#changed();
  }
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Returns a crystal of 108 argon atoms, which are a little displaced, as an example. */
function argon(): TabFile {
  const cells = 3, a = 5.26, corners = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]];
  const atoms: string[] = [];
  for (let n = 0; n < cells ** 3; n++) {
    const cell = [Math.floor(n / cells ** 2), Math.floor(n / cells) % cells, n % cells];
    for (const corner of corners) {
      const place = corner.map((half, d) => {
        const displaced = 0.1 * Math.sin(12.9898 * atoms.length + 78.233 * d); // Å
        return ((cell[d]! + half / 2) * a + displaced).toFixed(4);
      });
      atoms.push(`Ar ${place.join(" ")}`);
    }
  }
  const side = (cells * a).toFixed(4);
  const comment =
    `Lattice="${side} 0 0 0 ${side} 0 0 0 ${side}" Properties=species:S:1:pos:R:3 pbc="T T T"`;
  const text = `${atoms.length}\n${comment}\n${atoms.join("\n")}\n`;
  return { name: "argon.xyz", bytes: new TextEncoder().encode(text) };
}
