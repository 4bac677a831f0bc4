/** Style sheet of the API reference, in addition to the shared one. */

export const docsStyle = `
.top { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; padding: 0.8rem 24px; border-bottom: 1px solid var(--line); background: var(--panel); }
.top h1 span { font-weight: 400; font-size: 0.85rem; }
.layout { display: grid; grid-template-columns: 250px minmax(0, 1fr); max-width: 1440px; margin-inline: auto; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1.1rem 0.5rem 2rem 24px; }
nav h2 { font-size: 0.78rem; font-weight: 500; color: var(--muted); margin: 1rem 0 0.2rem; }
nav ul { margin-top: 0.5rem; } nav h2 + ul { margin-top: 0; }
nav li a { display: block; padding: 0.16rem 0.5rem; margin-left: -0.5rem; border-radius: 5px; color: var(--text); text-decoration: none; overflow-wrap: anywhere; }
nav li a:hover { background: var(--accent-soft); color: var(--accent); }
main { padding: 1.1rem 24px 4rem 20px; display: grid; gap: 14px; min-width: 0; }
main > section:not(.panel) { display: grid; gap: 14px; min-width: 0; }
h2.group { margin-top: 0.9rem; font-size: 1.05rem; }
.prose { padding: 1rem 1.15rem; }
.prose h2 { margin-bottom: 0.4rem; }
.prose p { max-width: 78ch; }
.prose > p + p, .prose pre + p, .prose p + pre { margin-top: 0.6rem; }
.lead { font-size: 1rem; }
pre { margin: 0; padding: 0.7rem 0.85rem; border-radius: 6px; background: var(--sunken); overflow: auto; line-height: 1.5; }
pre code { overflow-wrap: normal; font-size: 0.86rem; }
.verb { display: inline-block; font: 600 0.7rem/1.6 var(--mono); padding: 0 0.4rem; border-radius: 4px; background: var(--accent-soft); color: var(--accent); vertical-align: 0.08em; }
.verb.post { background: var(--warn-soft); color: var(--warn); }
nav .verb { min-width: 2.6rem; text-align: center; padding: 0; font-size: 0.62rem; }
article { padding: 1rem 1.15rem 1.15rem; scroll-margin-top: 0.75rem; }
article > header { display: grid; gap: 0.2rem; margin-bottom: 0.7rem; }
article:target { border-color: var(--accent); }
h3 a { color: inherit; text-decoration: none; } h3 a:hover { text-decoration: underline; }
article h3 { font-size: 1rem; }
h4 { font-size: 0.82rem; font-weight: 600; color: var(--muted); margin: 0 0 0.25rem; }
table + h4, details + h4 { margin-top: 1rem; }
.path code { font-size: 0.95rem; font-weight: 600; }
.issue { background: var(--warn-soft); color: var(--warn); padding: 0.4rem 0.7rem; border-radius: 6px; margin-top: 0.35rem; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.5rem; }
.columns > div { min-width: 0; }
.parameters th { width: 34%; } .headers th { width: 17rem; } .codes thead th:first-child { width: 4rem; } .codes thead th:nth-child(2) { width: 14rem; }
.required { color: var(--bad); font-size: 0.78rem; }
.type { color: var(--muted); font-size: 0.82rem; font-family: var(--mono); overflow-wrap: anywhere; }
.choices { display: inline; } .choices summary { display: inline-block; } .choices code { display: block; font-size: 0.8rem; color: var(--muted); }
.type + .type::before { content: "· "; }
summary { cursor: pointer; color: var(--accent); }
summary:hover { text-decoration: underline; }
.schema-fields summary { color: inherit; }
.schema-fields { padding-left: 0.1rem; font-size: 0.88rem; }
.schema-fields .schema-fields { margin: 0.1rem 0 0.3rem 0.3rem; padding-left: 0.8rem; border-left: 1px solid var(--line); }
.schema-fields li { padding: 0.1rem 0; }
.schema-fields code { font-weight: 600; }
.optional { color: var(--muted); font-weight: 400; }
.description { color: var(--muted); }
.schema { margin: 0.35rem 0 0.5rem; } .schema > ul { margin-top: 0.3rem; }
.statuses { display: flex; flex-wrap: wrap; gap: 0.3rem; align-items: center; }
.statuses a { text-decoration: none; } .statuses a:hover { color: var(--accent); }
.curl pre { white-space: pre-wrap; } .curl code { overflow-wrap: anywhere; user-select: all; }
@media (max-width: 1150px) { .columns { grid-template-columns: minmax(0, 1fr); gap: 1rem; } }
@media (max-width: 900px) {
  .top { padding-inline: 14px; }
  .layout { grid-template-columns: minmax(0, 1fr); }
  nav { position: static; max-height: none; padding: 0.9rem 14px 0; overflow: visible; }
  main { padding: 0.9rem 14px 3rem; }
  .prose, article { padding: 0.85rem 0.9rem; }
  .parameters th, .headers th, .codes thead th:nth-child(2) { width: 40%; }
}
`
