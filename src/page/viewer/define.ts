/**
 * Script of pages that only show structures: it defines `<hooke-viewer>`.
 *
 * @module
 */

import { HookeViewer } from "./element.ts";

if (customElements.get("hooke-viewer") === undefined) {
  customElements.define("hooke-viewer", HookeViewer);
}
