/** Style sheet of both pages: light and dark colors, type, panels, pills. */

export const sharedStyle = `
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
h1, h2, h3, h4, p, dl, dd, ul, ol, figure, table { margin: 0; padding: 0; }
h1 { font-size: 1.15rem; line-height: 1.3; font-weight: 650; letter-spacing: -0.01em; }
h2 { font-size: 0.95rem; line-height: 1.4; font-weight: 650; }
h3 { font-size: 0.9rem; font-weight: 600; }
ul, ol { list-style: none; }
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
button:disabled { opacity: 0.55; cursor: default; }
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
.unseen {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
.skip { position: absolute; left: 0.5rem; top: -4rem; background: var(--panel); padding: 0.4rem 0.8rem; z-index: 9; }
.skip:focus { top: 0.5rem; }
`
