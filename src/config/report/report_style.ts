/**
 * Style of reports, for light and dark color schemes.
 *
 * @module
 */

/** CSS of a report in HTML. */
export const REPORT_STYLE: string = [
  ":root{--ink:#222;--soft:#666;--line:#e2e2e2;--page:#fff;--card:#f7f7f8}",
  "@media(prefers-color-scheme:dark){",
  ":root{--ink:#ddd;--soft:#9a9a9a;--line:#2c3038;--page:#16181d;--card:#1e2128}}",
  "body{margin:0;background:var(--page);color:var(--ink);",
  "font:15px/1.5 system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}",
  "main{max-width:960px;margin:0 auto;padding:24px 20px 64px}",
  "h1{font-size:26px;margin:8px 0 20px}h2{font-size:18px;margin:36px 0 12px}",
  ".status{font-size:14px;font-weight:600;padding:3px 10px;border-radius:12px;color:#fff;",
  "vertical-align:middle;margin-left:8px;background:#777}",
  ".completed{background:#1a7f4b}.failed{background:#b3261e}.stopped,.completed-with-warnings{background:#a66300}",
  "dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 20px;margin:0}",
  "dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}",
  "figure{margin:0 0 20px}figure svg{max-width:100%;height:auto;display:block}",
  ".row{display:flex;flex-wrap:wrap;gap:12px}",
  ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:14px}",
  "th,td{text-align:left;padding:5px 16px 5px 0;border-bottom:1px solid var(--line);",
  "vertical-align:top}th{color:var(--soft);font-weight:500}",
  ".number{text-align:right;font-variant-numeric:tabular-nums}",
  "pre{background:var(--card);padding:12px 14px;border-radius:6px;overflow-x:auto;font-size:13px}",
  ".warnings{margin:0;padding:10px 14px 10px 30px;border-left:4px solid #d9860a;",
  "background:var(--card)}",
].join("");
