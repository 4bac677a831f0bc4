/** Style sheet of the status page: light and dark colors, type, panels, then its parts. */

export const statusStyle = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --panel: #ffffff; --sunken: #f0f2f5; --line: #dfe3e8; --strong-line: #c3cad3;
  --text: #171b21; --muted: #596270; --accent: #2b59c3; --accent-soft: #e7edfb; --on-accent: #ffffff;
  --good: #1a7441; --good-soft: #e2f3e8; --warn: #8a5a00; --warn-soft: #fbf0d9; --bad: #b3261e; --bad-soft: #fce8e6;
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1217; --panel: #161a21; --sunken: #1d222b; --line: #2a303b; --strong-line: #414a59;
    --text: #e4e8ee; --muted: #9aa5b5; --accent: #8fb0ff; --accent-soft: #1d2942; --on-accent: #0d1526;
    --good: #6fd195; --good-soft: #16301f; --warn: #e8b85a; --warn-soft: #352a12; --bad: #ff938a; --bad-soft: #3d1c1a;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--text); font: 14px/1.5 var(--sans); }
h1, h2, h3, p, dl, dd, ul, figure, table { margin: 0; padding: 0; }
h1 { font-size: 1.15rem; line-height: 1.3; font-weight: 650; letter-spacing: -0.01em; }
h2 { font-size: 0.95rem; line-height: 1.4; font-weight: 650; }
h3 { font-size: 0.9rem; font-weight: 600; }
ul { list-style: none; }
a { color: var(--accent); text-underline-offset: 2px; }
code, pre, .mono { font-family: var(--mono); font-size: 0.92em; }
code, .mono { overflow-wrap: anywhere; }
button, input, select { font: inherit; color: inherit; }
button {
  border: 1px solid var(--strong-line); border-radius: 6px; background: var(--panel); padding: 0.25rem 0.7rem;
  cursor: pointer;
}
button:hover { border-color: var(--accent); color: var(--accent); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
button.main:hover { filter: brightness(1.08); color: var(--on-accent); }
input, select {
  width: 100%; min-width: 0; border: 1px solid var(--strong-line); border-radius: 6px; background: var(--panel);
  padding: 0.3rem 0.55rem;
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
[hidden] { display: none !important; }
.muted { color: var(--muted); }
.number { font-variant-numeric: tabular-nums; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-top: 1px solid var(--line); font-weight: 400; }
thead th { border: 0; font-size: 0.8rem; color: var(--muted); }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; min-width: 0; }
.pill {
  display: inline-flex; align-items: center; gap: 0.35rem; border-radius: 99px; padding: 0.05rem 0.55rem;
  font-size: 0.8rem; line-height: 1.5; background: var(--sunken); color: var(--muted); white-space: nowrap;
}
.pill.good { background: var(--good-soft); color: var(--good); }
.pill.warn { background: var(--warn-soft); color: var(--warn); }
.pill.bad { background: var(--bad-soft); color: var(--bad); }
.skip { position: absolute; left: 0.5rem; top: -4rem; background: var(--panel); padding: 0.4rem 0.8rem; z-index: 9; }
.skip:focus { top: 0.5rem; }
body > header, main, #connection { max-width: 1360px; margin-inline: auto; padding-inline: 20px; }
body > header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1.25rem; padding-block: 1rem 0.75rem; }
h1 { overflow-wrap: anywhere; min-width: 0; }
h1 span { font-weight: 400; font-size: 0.85rem; }
#summary { display: flex; flex-wrap: wrap; gap: 0.4rem; }
#connection:empty { display: none; }
#connection { position: sticky; top: 0; z-index: 2; }
.lost #connection {
  padding: 0.5rem 1rem; margin: 0 auto 0.75rem; width: calc(100% - 40px); max-width: 1320px;
  background: var(--bad-soft); color: var(--bad); border: 1px solid currentColor; border-radius: 8px; font-weight: 550;
}
.lost #status { opacity: 0.75; }
main { padding-bottom: 2.5rem; }
#status { display: grid; gap: 12px; }
#status > * { min-width: 0; }
#token-form { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; padding: 0.9rem 1rem; }
#token-form p { width: 100%; } #token-form input { width: 24rem; }
section.panel { padding: 0.9rem 1rem; }
section.panel > h2 { margin-bottom: 0.5rem; }
#totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); overflow: hidden; }
.tile { padding: 0.8rem 1rem 0.75rem; border: solid var(--line); border-width: 0 1px 1px 0; margin: 0 -1px -1px 0; min-width: 0; }
.tile dt { color: var(--muted); font-size: 0.82rem; }
.tile dd { font-size: 1.5rem; line-height: 1.3; font-weight: 600; letter-spacing: -0.02em; }
.tile dd.note { font-size: 0.78rem; font-weight: 400; letter-spacing: 0; color: var(--muted); }
.tile.accent dd:nth-child(2) { color: var(--accent); }
.tile.bad dd:nth-child(2), td .bad { color: var(--bad); }
#no-requests pre { margin-top: 0.4rem; padding: 0.7rem 0.9rem; background: var(--sunken); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
#charts { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; }
figure { padding: 0.75rem 0.9rem 0.5rem; }
figcaption { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.75rem; margin-bottom: 0.35rem; }
figcaption h3 { font-size: 0.9rem; }
.when { font-size: 0.8rem; }
.legend { display: flex; flex-wrap: wrap; gap: 0 0.9rem; margin-left: auto; font-size: 0.8rem; color: var(--muted); }
.legend b { color: var(--text); font-weight: 600; }
.legend i { display: inline-block; width: 1.6rem; height: 0; border-top: 2px solid; margin-right: 0.35rem; vertical-align: 0.25em; }
.legend i.strong { border-color: var(--accent); }
.legend i.middle { border-color: color-mix(in srgb, var(--accent) 60%, var(--muted)); border-top-style: dashed; }
.legend i.weak { border-color: var(--muted); border-top-style: dotted; }
.legend i.bad { border-color: var(--bad); }
.chart { display: grid; grid-template-columns: 3.4rem minmax(0, 1fr) auto; font-size: 0.72rem; }
.labels { display: contents; }
.high, .low { grid-area: 1 / 1; } .low { align-self: end; } .from { grid-area: 2 / 2; } .to { grid-area: 2 / 3; }
.chart svg, .chart input { grid-area: 1 / 2 / 2 / 4; width: 100%; height: 140px; border-bottom: 1px solid var(--strong-line); overflow: visible; }
.chart input { margin: 0; padding: 0; border: 0; opacity: 0; touch-action: pan-y; }
.chart:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 2px; }
.line, .cursor { vector-effect: non-scaling-stroke; }
.line { fill: none; stroke-width: 1.75; stroke-linejoin: round; stroke-linecap: round; }
.line.strong { stroke: var(--accent); }
.line.middle { stroke: color-mix(in srgb, var(--accent) 60%, var(--muted)); stroke-dasharray: 5 4; stroke-width: 1.4; }
.line.weak { stroke: var(--muted); stroke-dasharray: 1.5 3.5; stroke-width: 1.5; }
.line.bad { stroke: var(--bad); }
.cursor { stroke: var(--strong-line); }
.meter { display: grid; grid-template-columns: 1fr auto; gap: 0 0.75rem; font-size: 0.78rem; color: var(--muted); line-height: 1.6; }
.meter em { font-style: normal; opacity: 0.85; }
.meter meter { grid-column: 1 / -1; width: 100%; height: 0.75rem; }
.meter.shadow meter { opacity: 0.4; }
td b, .meter span { overflow-wrap: anywhere; }
td .pill, td .bad { white-space: normal; overflow-wrap: anywhere; }
.tools { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-bottom: 0.5rem; }
.tools > * { width: auto; max-width: 14rem; }
.tools select { background: var(--panel); }
table + p + button { margin-top: 0.5rem; }
th:first-child { min-width: 8rem; }
#failures th { min-width: 5.5rem; }
td.number, #failures td:first-child { white-space: nowrap; }
th.number, td.number { text-align: right; }
.number + :is(th, td):not(.number) { padding-left: 1.5rem; }
.quotas { width: 30%; }
.quotas > div { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(12rem, 100%), 1fr)); gap: 0.3rem 1rem; }
@media (max-width: 820px) {
  body > header, main { padding-inline: 12px; }
  .lost #connection { width: calc(100% - 24px); }
  #charts { grid-template-columns: minmax(0, 1fr); }
  .tile { padding: 0.6rem 0.9rem; }
  .legend { margin-left: 0; width: 100%; }
  table, tbody { display: block; }
  thead { display: none; }
  tr { display: flex; flex-wrap: wrap; gap: 0.3rem 1rem; padding: 0.6rem 0; border-top: 1px solid var(--line); }
  td { min-width: 5.4rem; padding: 0 !important; border: 0; text-align: left !important; }
  td::before { content: attr(data-label); display: block; color: var(--muted); font-size: 0.76rem; }
  td.quotas { width: 100%; }
}
`
