/**
 * Script of pages that show structures: it defines `<hooke-viewer>`.
 *
 * @module
 */

import { defineViewer } from "./mod.ts";

defineViewer();
