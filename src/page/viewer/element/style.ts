/**
 * Style sheet of the element. A page changes its colors by `--hooke-viewer-background`, or by `--panel`, `--ink`,
 * `--muted`, `--line` and `--accent`.
 *
 * @module
 */

/** Text of the style sheet. */
export const STYLE: string = `
:host {
  --paper: var(--hooke-viewer-background, var(--panel, light-dark(#fff, #16181d)));
  --text: var(--ink, light-dark(#1c1f24, #e6e8eb));
  --quiet: var(--muted, light-dark(#5b626d, #a3abb8));
  --edge: var(--line, light-dark(#d9dce1, #343942));
  --mark: var(--accent, light-dark(#0b66c3, #6cb2ff));
  --glass: color-mix(in srgb, var(--paper) 82%, transparent);
  display: block;
  height: 26rem;
  min-height: 10rem;
  overflow: hidden;
  background: var(--paper);
  color: var(--text);
  font: 13px/1.4 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif;
}
:host([hidden]) { display: none; }
[hidden] { display: none !important; }
.frame { display: flex; flex-direction: column; height: 100%; }
.stage { position: relative; flex: 1 1 0; min-height: 0; background: var(--paper); }
canvas { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none; cursor: grab; }
canvas:active { cursor: grabbing; }
canvas:focus-visible { outline: 2px solid var(--mark); outline-offset: -2px; }
.overlay { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; }
.overlay text { font: 600 12px system-ui, sans-serif; text-anchor: middle; fill: var(--text);
  paint-order: stroke; stroke: var(--paper); stroke-width: 3px; stroke-linejoin: round; }
.overlay path { fill: none; stroke-width: 2; stroke-linecap: round; }
.overlay .measured { stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 4 4; }
.overlay path.k0 { stroke: light-dark(#c43b2e, #ff7a6b); } .overlay text.k0 { fill: light-dark(#a92a1e, #ff8f82); }
.overlay path.k1 { stroke: light-dark(#2b8a3e, #5fd07a); } .overlay text.k1 { fill: light-dark(#1f7030, #74d98c); }
.overlay path.k2 { stroke: light-dark(#1f6fd0, #6cb2ff); } .overlay text.k2 { fill: light-dark(#1a5cae, #86c0ff); }
.caption, .selection, .legend { position: absolute; pointer-events: none; background: var(--glass);
  border-radius: 4px; padding: 2px 6px; font-variant-numeric: tabular-nums; }
.caption { left: 6px; top: 6px; max-width: calc(100% - 24px); color: var(--quiet); }
.selection { left: 6px; top: 32px; max-width: calc(100% - 24px); }
.legend { right: 6px; bottom: 6px; display: flex; flex-wrap: wrap; gap: 2px 10px; max-width: 60%; justify-content: end; }
.element { display: inline-flex; align-items: center; gap: 4px; }
.element svg { width: 11px; height: 11px; }
.element circle { stroke: var(--quiet); stroke-width: .75; }
.scale { display: grid; gap: 2px; width: 9rem; }
.scale svg { width: 100%; height: 9px; border-radius: 2px; }
.ends { display: flex; justify-content: space-between; color: var(--quiet); }
.error { position: absolute; inset: 0; margin: 0; padding: 1.5rem; display: grid; place-content: center; text-align: center;
  background: var(--paper); color: var(--text); overflow: auto; overflow-wrap: anywhere; }
.bar { display: flex; flex-wrap: wrap; gap: 6px 16px; padding: 6px 8px; border-top: 1px solid var(--edge); }
.playback, .settings, .images { display: flex; align-items: center; gap: 4px; }
.playback { flex: 1 1 18rem; min-width: 0; flex-wrap: wrap; }
.settings { flex-wrap: wrap; gap: 4px 6px; }
.images { gap: 2px; }
input[type="range"] { flex: 1 1 3rem; min-width: 3rem; accent-color: var(--mark); }
.place { min-width: 3.5em; text-align: end; color: var(--quiet); font-variant-numeric: tabular-nums; white-space: nowrap; }
label { display: inline-flex; align-items: center; gap: 4px; padding: 0 2px; }
label input { accent-color: var(--mark); margin: 0; }
button, select { font: inherit; color: inherit; background: transparent; border: 1px solid transparent; border-radius: 5px;
  height: 28px; min-width: 28px; padding: 0 4px; cursor: pointer; }
button { display: inline-grid; place-content: center; }
select { border-color: var(--edge); background: var(--paper); max-width: 9rem; }
button:hover, select:hover { border-color: var(--quiet); }
button:focus-visible, select:focus-visible, input:focus-visible { outline: 2px solid var(--mark); outline-offset: 1px; }
button[aria-pressed="true"] { color: var(--mark); }
select:disabled { opacity: .5; cursor: default; }
button svg { width: 15px; height: 15px; fill: currentColor; }
@media (pointer: coarse) { button, select { height: 36px; min-width: 36px; } }
`;
