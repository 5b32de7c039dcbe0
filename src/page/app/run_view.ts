/**
 * View of one run: header, charts, structure, and panels.
 *
 * @module
 */

import type { RunEvent, RunSource } from "../protocol.ts";
import type { Banner } from "./banner.ts";
import { ChartsPanel } from "./charts/charts_panel.ts";
import { CursorStore } from "./charts/cursor.ts";
import { applyEvent, emptyModel, type ModelPart } from "./data/run_model.ts";
import { h } from "./element.ts";
import { CurvesPanel } from "./charts/curves_panel.ts";
import { ConfigPanel } from "./panels/config_panel.ts";
import { FilesPanel } from "./panels/files_panel.ts";
import { HooksPanel } from "./panels/hooks_panel.ts";
import { StructuresPanel } from "./panels/structures_panel.ts";
import { TimingsPanel } from "./panels/timings_panel.ts";
import { ViewerPanel } from "./panels/viewer_panel.ts";
import { WarningsPanel } from "./panels/warnings_panel.ts";
import type { RunActions, RunPanel } from "./panels/run_panel.ts";
import { RunHeader } from "./run_header.ts";
import type { PageView } from "./page_view.ts";

/** Time between two updates of the view, ms. */
const INTERVAL = 150;

/** View of a run. It follows the events of its source until it is closed. */
export class RunView implements PageView {
  readonly header: HTMLElement;
  readonly root: HTMLElement;
  readonly #abort = new AbortController();
  readonly #model = emptyModel();
  readonly #panels: readonly RunPanel[];
  readonly #changed = new Set<ModelPart>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(source: RunSource, banner: Banner, hasList: boolean) {
    const actions: RunActions = {
      source,
      cursor: new CursorStore(),
      complain: (message) => banner.show(message),
      showFrame: (index) => viewer.showFrame(index),
      async send(command) {
        try {
          await source.command(command);
          return true;
        } catch (error) {
          banner.show(`The command failed: ${error instanceof Error ? error.message : error}`);
          return false;
        }
      },
    };
    const header = new RunHeader(actions, hasList);
    const curves = new CurvesPanel();
    const charts = new ChartsPanel(actions.cursor, curves.root);
    const structures = new StructuresPanel(actions);
    const viewer = new ViewerPanel(actions);
    const hooks = new HooksPanel(actions), warnings = new WarningsPanel();
    const timings = new TimingsPanel();
    const files = new FilesPanel(actions), config = new ConfigPanel();
    this.#panels = [
      header,
      charts,
      structures,
      viewer,
      curves,
      hooks,
      timings,
      warnings,
      files,
      config,
    ];
    this.header = header.root;
    this.root = h(
      "div.run",
      {},
      h("div.column.wide", {}, structures.root, charts.root),
      h(
        "div.column.side",
        {},
        viewer.root,
        warnings.root,
        hooks.root,
        timings.root,
        files.root,
        config.root,
      ),
    );
    void this.#follow(source, banner);
  }

  close(): void {
    this.#abort.abort();
    clearTimeout(this.#timer);
    for (const one of this.#panels) one.close?.();
  }

  async #follow(source: RunSource, banner: Banner): Promise<void> {
    try {
      for await (const event of source.events(this.#abort.signal)) this.#take(event);
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      banner.show(`The run cannot be read: ${error instanceof Error ? error.message : error}`);
    }
  }

  #take(event: RunEvent): void {
    this.#changed.add(applyEvent(this.#model, event));
    this.#timer ??= setTimeout(() => this.#update(), INTERVAL);
  }

  #update(): void {
    this.#timer = undefined;
    const changed = new Set(this.#changed), all = changed.has("reset");
    this.#changed.clear();
    for (const one of this.#panels) {
      if (all || one.parts.some((part) => changed.has(part))) one.update(this.#model, changed);
    }
  }
}
