/**
 * Style sheet and script of the site, as text.
 *
 * @module
 */

const LIGHT =
  `color-scheme: light; --page: #fff; --text: #1c2024; --faint: #60646c; --line: #d9d9e0;
  --soft: #f6f7f9; --link: #0b62c4; --comment: #6a737d; --string: #0a6b3b; --keyword: #a2258f; --number: #9a4a00;`;
const DARK =
  `color-scheme: dark; --page: #14171a; --text: #e4e6e9; --faint: #9ba1a8; --line: #34383d;
  --soft: #1d2125; --link: #6cb2ff; --comment: #8b949e; --string: #7ee2a8; --keyword: #e59bff; --number: #ffb870;`;

/** The style sheet. Colors follow the system, unless the reader has chosen. */
export const STYLE: string = `
:root { ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
:root[data-theme=light] { ${LIGHT} }
:root[data-theme=dark] { ${DARK} }
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.6 system-ui, sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
hooke-viewer { border: 1px solid var(--line); border-radius: 8px; margin: 1rem 0; white-space: pre; overflow: auto;
  --panel: var(--page); --ink: var(--text); --muted: var(--faint); --accent: var(--link); }
header { position: sticky; top: 0; z-index: 1; display: flex; gap: 1rem; align-items: center;
  padding: .6rem 1.5rem; background: var(--page); border-bottom: 1px solid var(--line); }
header .home { font-weight: 700; font-size: 1.2rem; color: var(--text); margin-right: auto; }
input, button { font: inherit; color: inherit; background: var(--soft); border: 1px solid var(--line);
  border-radius: 6px; padding: .25rem .7rem; }
input { width: min(22rem, 50vw); }
#results { position: absolute; right: 1.5rem; top: 3rem; margin: 0; padding: .4rem; list-style: none;
  width: min(40rem, 92vw); max-height: 70vh; overflow: auto; background: var(--page);
  border: 1px solid var(--line); border-radius: 8px; box-shadow: 0 8px 30px #0004; }
#results li { padding: .35rem .6rem; border-radius: 5px; }
#results li.on { background: var(--soft); }
#results small { display: block; color: var(--faint); }
.columns { display: grid; grid-template-columns: 14rem minmax(0, 56rem) 12rem; gap: 2rem;
  max-width: 90rem; margin: 0 auto; padding: 0 1.5rem; }
nav { position: sticky; top: 3.6rem; align-self: start; max-height: calc(100vh - 3.6rem); overflow: auto;
  padding: 1.2rem 0; font-size: .9rem; }
nav ul { list-style: none; margin: .2rem 0 1rem; padding: 0; }
nav summary { font-weight: 600; cursor: pointer; padding: .15rem 0; }
nav li { padding: .12rem 0 .12rem .7rem; border-left: 2px solid var(--line); }
nav li:has([aria-current]) { border-color: var(--link); }
nav a { color: var(--faint); }
nav a[aria-current] { color: var(--link); font-weight: 600; }
.outline .depth3 { padding-left: 1.5rem; }
main { padding: 1rem 0 4rem; min-width: 0; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2em 0 .6em; }
h1 { font-size: 2rem; margin-top: .5em; }
h2 { padding-top: .6em; border-top: 1px solid var(--line); }
.anchor { margin-left: .4em; opacity: 0; font-weight: 400; }
:is(h1, h2, h3, h4):hover .anchor { opacity: .6; }
code { font: .85em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
:not(pre) > code { background: var(--soft); padding: .1em .35em; border-radius: 4px; overflow-wrap: break-word; }
a > code { color: inherit; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1.1rem;
  overflow-x: auto; position: relative; }
pre button { position: absolute; top: .5rem; right: .5rem; font-size: .75rem; opacity: 0; }
pre:hover button, pre button:focus { opacity: 1; }
.comment { color: var(--comment); } .string { color: var(--string); }
.keyword { color: var(--keyword); } .number { color: var(--number); }
.wide { overflow-x: auto; margin: 1em 0; }
table { border-collapse: collapse; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
td:first-child code { white-space: nowrap; }
figure { margin: 1.5rem 0; overflow-x: auto; }
figure svg { width: 100%; font-size: 14px; }
svg rect { fill: var(--soft); stroke: var(--faint); }
svg text { fill: var(--text); }
svg path { fill: none; stroke: var(--faint); stroke-width: 1.3; }
svg .tip { fill: var(--faint); stroke: none; }
svg .life { stroke: var(--line); } svg .dashed { stroke-dasharray: 5 4; }
main img { max-width: 100%; }
blockquote { margin: 1em 0; padding-left: 1em; border-left: 3px solid var(--line); color: var(--faint); }
footer { display: flex; justify-content: space-between; gap: 1rem; margin-top: 4rem; padding-top: 1rem;
  border-top: 1px solid var(--line); }
@media (max-width: 70rem) { .columns { grid-template-columns: 14rem minmax(0, 1fr); } .outline { display: none; } }
@media (max-width: 48rem) { .columns { grid-template-columns: minmax(0, 1fr); }
  nav.contents { position: static; max-height: none; order: 2; } }
`;

/** The script: search, choice of colors, and a button to copy code. It needs no network. */
export const SCRIPT: string = `
const input = document.getElementById("search"), list = document.getElementById("results");
const root = input.dataset.root;
let chosen = 0;
function find(query) {
  const words = query.toLowerCase().split(/\\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const scored = [];
  for (const [file, anchor, page, title, text] of SEARCH_INDEX) {
    const heading = title.toLowerCase(), body = text.toLowerCase(), name = page.toLowerCase();
    let score = 0;
    for (const word of words) {
      const points = (heading.includes(word) ? 10 : 0) + (name.includes(word) ? 3 : 0) +
        (body.includes(word) ? 2 : 0) + (heading === word ? 10 : 0);
      if (points === 0) { score = 0; break; }
      score += points;
    }
    if (score > 0) scored.push({ score, file, anchor, page, title, text });
  }
  return scored.sort((a, b) => b.score - a.score).slice(0, 12);
}
function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 50);
  return (at > 0 ? "… " : "") + text.slice(at, at + 150);
}
function show() {
  const found = find(input.value);
  list.replaceChildren(...found.map(({ file, anchor, page, title, text }, i) => {
    const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
    item.className = i === chosen ? "on" : "";
    link.href = root + file + "#" + anchor;
    link.textContent = title === page ? page : page + " › " + title;
    small.textContent = excerpt(text, input.value.toLowerCase().split(/\\s+/)[0]);
    item.append(link, small);
    return item;
  }));
  list.hidden = found.length === 0;
}
input.addEventListener("input", () => { chosen = 0; show(); });
input.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined) {
    event.preventDefault();
    chosen = Math.max(0, Math.min(list.children.length - 1, chosen + step));
    show();
  }
  if (event.key === "Enter") list.children[chosen]?.querySelector("a").click();
  if (event.key === "Escape") { input.value = ""; show(); }
});
list.addEventListener("click", () => { list.hidden = true; });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
});
const theme = document.documentElement.dataset;
try { theme.theme = localStorage.getItem("theme") ?? ""; } catch { /* files may not store anything */ }
document.getElementById("theme").addEventListener("click", () => {
  const isDark = theme.theme === "dark" || (!theme.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  theme.theme = isDark ? "light" : "dark";
  try { localStorage.setItem("theme", theme.theme); } catch { /* as above */ }
});
for (const block of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.textContent = "Copy";
  button.addEventListener("click", () => navigator.clipboard.writeText(block.querySelector("code").textContent));
  block.append(button);
}
`;
