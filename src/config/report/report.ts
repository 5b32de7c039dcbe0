import { xmlText } from "../../observe/plot/xml_text.ts";
import { readRun, type RunData } from "../runs/read_run.ts";
import { type ReportBlock, type ReportContent, reportContent } from "./report_content.ts";
import { REPORT_STYLE } from "./report_style.ts";

/** Options of {@linkcode report}. */
export interface ReportOptions {
  /**
   * Format: HTML in a single file, or Markdown.
   *
   * @default "html"
   */
  readonly format?: "html" | "markdown";
  /**
   * Returns the address by which a Markdown report refers to a plot, given the plot's SVG text and a file name.
   *
   * @default embeds the plot as a `data:` address
   */
  readonly link?: (svg: string, file: string) => string;
}

/**
 * Returns a report of a run: its facts and outcome, warnings, plots of its scalars, the parts of a resumed run, its
 * hooks and when they were enabled or disabled, timings if there is a profile, and its configuration.
 *
 * @param run a run folder, or the result of `readRun`
 * @throws {TypeError} if `format` is neither `"html"` nor `"markdown"`
 * @throws {RangeError} if the folder is not a run folder, or was written by a newer version
 * @throws {SyntaxError} if a file in the folder is damaged; the message has the line or key
 *
 * @example
 * ```ts
 * import { parseRunLog, report, runLog } from "@hooke/hooke/runs";
 * import { type BaseContext, Loop, stages } from "@hooke/hooke/hooks";
 * import { Reporter } from "@hooke/hooke/observe";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const WalkStage = stages<BaseContext>()("walk", ["AFTER_STEP"]);
 * const loop = new Loop({ kinds: WalkStage, step: (loop) => loop.fire(WalkStage.AFTER_STEP) });
 * let log = "";
 * loop.hooks.add(runLog({ write: (line) => void (log += line) }), { order: "first" });
 * const reporter = new Reporter({ reporters: [], scalars: { x: (ctx) => Math.sqrt(ctx.stepCount) } });
 * loop.hooks.add(reporter);
 * await loop.run(20);
 *
 * const run = { name: "a walk", records: parseRunLog(log), history: reporter.history };
 * const text = await report(run, { format: "markdown" });
 * assertStringIncludes(text, "# a walk: completed");
 * assertStringIncludes(text, "![x](data:image/svg+xml;base64,");
 * ```
 */
export async function report(
  run: RunData | string,
  { format = "html", link = inText }: ReportOptions = {},
): Promise<string> {
  if (format !== "html" && format !== "markdown") {
    throw new TypeError(
      `Cannot write a report: its format must be "html" or "markdown"; got ${
        JSON.stringify(format)
      }`,
    );
  }
  const content = reportContent(typeof run === "string" ? await readRun(run) : run);
  return reportText(content, { format, link });
}

/** Returns the text of a report. */
export function reportText(
  content: ReportContent,
  { format = "html", link = inText }: ReportOptions = {},
): string {
  return format === "html" ? asHtml(content) : asMarkdown(content, link);
}

function inText(svg: string): string {
  const bytes = new TextEncoder().encode(svg);
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `data:image/svg+xml;base64,${btoa(text)}`;
}

function asMarkdown(
  { title, status, sections }: ReportContent,
  link: (svg: string, file: string) => string,
): string {
  const parts = sections.map(({ title, blocks }) =>
    `## ${plain(title)}\n\n${blocks.map((block) => markdownOf(block, link)).join("\n\n")}`
  );
  return [`# ${plain(title)}: ${status}`, ...parts].join("\n\n") + "\n";
}

function markdownOf(
  block: ReportBlock,
  link: (svg: string, file: string) => string,
): string {
  switch (block.kind) {
    case "facts":
      return markdownTable(["", ""], block.rows);
    case "table":
      return markdownTable(block.head, block.rows);
    case "list":
      return block.items.map((item) => `- ${plain(item)}`).join("\n");
    case "plot":
      return `![${plain(block.title)}](${link(block.svg, `${block.name}.svg`)})`;
    case "row":
      return block.pictures.map((each) => markdownOf(each, link)).join(" ");
    case "code": {
      const longest = Math.max(2, ...(block.text.match(/`+/g) ?? []).map(({ length }) => length));
      const fence = "`".repeat(longest + 1);
      return `${fence}json\n${block.text}\n${fence}`;
    }
  }
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(plain).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Escapes the special characters of Markdown. */
function plain(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").replace(/[\\`*_[\]<>|#&]/g, "\\$&");
}

function asHtml({ title, status, sections }: ReportContent): string {
  const parts = sections.map(({ title, blocks }) =>
    `<section>\n<h2>${xmlText(title)}</h2>\n${blocks.map(htmlOf).join("\n")}\n</section>`
  );
  const name = xmlText(title), mark = status.replaceAll(" ", "-");
  return [
    "<!doctype html>",
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${name}: ${status}</title>`,
    `<style>${REPORT_STYLE}</style>`,
    "<main>",
    `<h1>${name} <span class="status ${mark}">${status}</span></h1>`,
    ...parts,
    "</main>",
    "</html>",
  ].join("\n") + "\n";
}

function htmlOf(block: ReportBlock): string {
  switch (block.kind) {
    case "facts":
      return `<dl>${
        block.rows.map(([key, value]) => `<dt>${xmlText(key)}</dt><dd>${xmlText(value)}</dd>`).join(
          "",
        )
      }</dl>`;
    case "table":
      return htmlTable(block.head, block.rows);
    case "list":
      return `<ul class="warnings">${
        block.items.map((item) => `<li>${xmlText(item)}</li>`).join("")
      }</ul>`;
    case "plot":
      return `<figure>${block.svg.trimEnd()}</figure>`;
    case "row":
      return `<div class="row">${block.pictures.map(htmlOf).join("")}</div>`;
    case "code":
      return `<pre>${xmlText(block.text)}</pre>`;
  }
}

function htmlTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (of: readonly string[], tag: "td" | "th") =>
    `<tr>${
      of.map((cell) => {
        const isNumber = tag === "td" && /^-?[\d.]+( %| s)?$/.test(cell);
        return `<${tag}${isNumber ? ' class="number"' : ""}>${xmlText(cell)}</${tag}>`;
      }).join("")
    }</tr>`;
  return `<div class="wide"><table><thead>${cells(head, "th")}</thead><tbody>${
    rows.map((row) => cells(row, "td")).join("")
  }</tbody></table></div>`;
}
