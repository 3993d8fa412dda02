internal import CommandLineInterface

/// The style sheet of the page.
enum ReportStyle {
    static let text: HTML = """
        :root {
          color-scheme: light dark;
          --ink: #1d2125; --soft: #59616b; --page: #f6f5f1; --card: #ffffff; --line: #e0ddd5; --track: #eeece6;
          --verified: #12776b; --revoked: #b9770e; --unverified: #b3303c; --undecided: #6f7886; --plain: #3f5f9a;
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
          font-variant-numeric: tabular-nums;
        }
        @media screen and (prefers-color-scheme: dark) {
          :root {
            --ink: #e8eaed; --soft: #a8afba; --page: #131519; --card: #1b1e24; --line: #30353d; --track: #2a2e36;
            --verified: #4db6a6; --revoked: #e0ac4a; --unverified: #f0808a; --undecided: #929bab; --plain: #8fabe8;
          }
        }
        * { box-sizing: border-box; }
        body {
            background: var(--page); color: var(--ink); margin: 0 auto; max-width: 74rem; overflow-wrap: anywhere;
            padding: 2.5rem 1rem;
        }
        h1 {
            font-size: clamp(1.625rem, 4.5vw, 2.5rem); font-weight: 650; letter-spacing: -0.02em; line-height: 1.15;
            margin: 0 0 0.5rem; text-wrap: balance;
        }
        h2 { font-size: 1.125rem; font-weight: 650; line-height: 1.3; margin: 0 0 0.375rem; }
        h3 { font-size: 1rem; font-weight: 600; margin: 0; }
        p { margin: 0 0 0.75rem; }
        ul { list-style: none; margin: 0; padding: 0; }
        code { font: 0.875em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        :focus-visible { outline: 2px solid var(--plain); outline-offset: 2px; }

        header { margin-bottom: 1.5rem; }
        .scope, .note, .share, .code { color: var(--soft); }
        .scope { margin-bottom: 0.25rem; }
        .note { font-size: 0.875rem; margin: 0.5rem 0 0; }
        .whole { border-radius: 6px; display: block; margin: 1.5rem 0 1rem; }
        .figures { display: flex; flex-wrap: wrap; gap: 0.5rem 2.5rem; margin-bottom: 0.75rem; }
        .figures strong { font-size: 1.5rem; font-weight: 650; letter-spacing: -0.01em; }
        .notes { border-inline-start: 3px solid var(--revoked); margin-top: 1.25rem; padding-inline-start: 0.875rem; }
        .mark {
            border-radius: 2px; display: inline-block; height: 0.6875rem; margin-inline-end: 0.5rem; width: 0.6875rem;
        }
        .mark.verified { background: var(--verified); }
        .mark.revoked { background: var(--revoked); }
        .mark.unverified { background: var(--unverified); }
        .mark.undecided { background: var(--undecided); }
        .mark.plain { background: var(--plain); }
        .legend { display: flex; flex-wrap: wrap; font-size: 0.875rem; gap: 0.125rem 1.25rem; margin-bottom: 0.75rem; }

        main { display: grid; gap: 1rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
        section {
            background: var(--card); border: 1px solid var(--line); border-radius: 10px; min-width: 0;
            padding: 1.25rem;
        }
        .wide { grid-column: 1 / -1; }
        @media (max-width: 48rem) { main { grid-template-columns: minmax(0, 1fr); } }

        svg { display: block; overflow: visible; }
        svg text { fill: var(--ink); font-size: 13px; }
        svg .value { fill: var(--soft); text-anchor: end; }
        .columns text, .spans text[y]:last-of-type { fill: var(--soft); font-size: 12px; }
        .columns line { stroke: var(--line); }
        .now { stroke: var(--ink); stroke-width: 2; }
        rect.track { fill: var(--track); }
        rect.verified { fill: var(--verified); }
        rect.revoked { fill: var(--revoked); }
        rect.unverified { fill: var(--unverified); }
        rect.undecided { fill: var(--undecided); }
        rect.plain { fill: var(--plain); }

        details { margin-top: 0.75rem; }
        summary { color: var(--soft); cursor: pointer; font-size: 0.875rem; padding: 0.25rem 0; }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; font-size: 0.875rem; width: 100%; }
        caption { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; width: 1px; }
        th, td {
            border-top: 1px solid var(--line); padding: 0.3125rem 0.75rem 0.3125rem 0; text-align: start;
            vertical-align: top;
        }
        thead th { border-top: 0; color: var(--soft); font-weight: 500; white-space: nowrap; }
        tbody th { font-weight: 500; min-width: 9rem; }
        td { min-width: 6rem; overflow-wrap: break-word; }
        .whole-word { white-space: nowrap; }
        .n { min-width: 0; padding-inline: 0.75rem 0; text-align: end; white-space: nowrap; }
        .n + :not(.n) { padding-inline-start: 0.75rem; }

        .reason { border-top: 1px solid var(--line); margin-top: 1rem; padding-top: 1rem; }
        .code { font-size: 0.875rem; margin: 0.125rem 0 0.5rem; }
        dl { font-size: 0.9375rem; margin: 0; }
        dl div { display: grid; gap: 0 1.5rem; grid-template-columns: 15rem minmax(0, 1fr); padding: 0.25rem 0; }
        @media (max-width: 48rem) { dl div { grid-template-columns: minmax(0, 1fr); padding: 0.375rem 0; } }
        dt { color: var(--soft); }
        dd { margin: 0; }
        dd span { display: block; }
        dd b { font-weight: 500; }

        footer { color: var(--soft); font-size: 0.875rem; margin-top: 2rem; }
        footer h2 { font-size: 0.9375rem; }
        @page { margin: 14mm; }
        @media print {
          :root { --page: #ffffff; font-size: 0.75rem; }
          body { max-width: none; padding: 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
          main { display: block; }
          section { box-decoration-break: clone; break-inside: avoid; margin-bottom: 1rem; }
          section:has(.reason, tr:nth-child(20)) { break-inside: auto; }
          .reason, svg, tr { break-inside: avoid; }
          h2, h3, h2 + p, .legend, .code, thead { break-after: avoid; }
          table { font-size: 0.8125rem; }
          tbody th, td { min-width: 3.5rem; overflow-wrap: anywhere; padding-inline-end: 0.5rem; }
          thead th { overflow-wrap: normal; white-space: normal; }
          .n { min-width: 0; overflow-wrap: normal; padding-inline: 0.5rem 0; }
          summary { display: none; }
          details::details-content { content-visibility: visible; }
          .scroll { overflow: visible; }
        }

        """
}
