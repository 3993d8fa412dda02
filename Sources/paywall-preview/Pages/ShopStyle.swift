/// The style sheet and the icon of the pages.
enum ShopStyle {
    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
        <rect x="2" y="7" width="12" height="8" rx="2" fill="#3a5bd9"/>
        <path d="M5 7V5a3 3 0 0 1 6 0v2" fill="none" stroke="#3a5bd9" stroke-width="2"/>
        </svg>
        """

    static let text = """
        :root {
          color-scheme: light dark;
          --text: #1b1d23; --soft: #565c6b; --page: #f4f5f8; --card: #ffffff; --line: #8a90a0; --faint: #d9dce4;
          --accent: #2f4fc4; --on-accent: #ffffff; --tint: #e8edfd;
          --good: #17653a; --good-tint: #e2f4e8; --bad: #a3211d; --bad-tint: #fce8e6;
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans CJK JP", "Noto Sans", sans-serif;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --text: #eceef4; --soft: #aab1c2; --page: #12141a; --card: #1d2029; --line: #767d90; --faint: #343947;
            --accent: #9db2ff; --on-accent: #10131c; --tint: #252d49;
            --good: #7fd6a1; --good-tint: #15301f; --bad: #ffa39c; --bad-tint: #3b1a1a;
          }
        }
        * { box-sizing: border-box; }
        body { background: var(--page); color: var(--text); margin: 0; overflow-wrap: anywhere; }
        h1 { font-size: 1.75rem; line-height: 1.2; margin: 1.5rem 0 0.5rem; }
        h2 { font-size: 1.25rem; line-height: 1.3; margin: 2rem 0 0.5rem; }
        h3 { font-size: 1rem; margin: 1rem 0 0.5rem; }
        time { white-space: nowrap; }
        h4 { font-size: 1rem; margin: 0; }
        p { margin: 0 0 0.5rem; }
        a { color: var(--accent); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        main:focus, h2:focus { outline: none; }
        .hint, .kind, .derived, .aside, time { color: var(--soft); }
        .hidden { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; width: 1px; }
        .skip { left: 1rem; position: absolute; top: -4rem; }
        .skip:focus { background: var(--card); padding: 0.5rem; top: 0.5rem; z-index: 1; }

        #header {
          align-items: center; background: var(--card); border-bottom: 1px solid var(--faint); display: flex;
          flex-wrap: wrap; gap: 0 1.5rem; padding: 0.25rem max(1rem, (100% - 62rem) / 2);
        }
        .brand { font-weight: 600; margin: 0; }
        nav { display: flex; flex-wrap: wrap; gap: 0 0.25rem; margin-inline-start: auto; }
        nav a { padding: 0.625rem 0.75rem; text-decoration: none; }
        nav a[aria-current] { box-shadow: inset 0 -3px var(--accent); color: var(--text); font-weight: 600; }
        main { margin: 0 auto; max-width: 64rem; padding: 0 1rem 4rem; }

        button, .button, select {
          background: var(--card); border: 1px solid var(--line); border-radius: 0.625rem; color: var(--text);
          cursor: pointer; display: inline-block; font: inherit; line-height: 1.4; min-height: 2.75rem;
          padding: 0.5rem 1rem; text-decoration: none;
        }
        button:hover, .button:hover { border-color: var(--accent); }
        button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); \
        font-weight: 600; }
        button.plain { background: none; border-color: transparent; color: var(--accent); padding-inline: 0.25rem; }
        button.wide { width: 100%; }
        button.close { aspect-ratio: 1; border-radius: 50%; line-height: 1; padding: 0; width: 2.75rem; }
        button[aria-disabled] { background: var(--faint); border-color: var(--faint); color: var(--text); \
        cursor: default; }
        button.plain[aria-disabled] { background: none; border-color: transparent; color: var(--soft); }
        input { accent-color: var(--accent); height: 1.25rem; margin: 0; width: 1.25rem; }
        select { max-width: 100%; }
        .row { align-items: center; display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0 0 0.75rem; }
        .switch { align-items: center; display: inline-flex; gap: 0.5rem; min-height: 2.75rem; \
        padding-inline-end: 1rem; }

        ul, ol { list-style: none; margin: 0; padding: 0; }
        .feature {
          align-items: center; background: var(--card); border: 1px solid var(--faint); border-radius: 0.75rem;
          display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; margin: 0 0 0.5rem; padding: 0.75rem 1rem;
        }
        .feature > :first-child { flex: 1 1 12rem; }
        .feature h3, .feature p, .feature .row { margin: 0; }
        .feature > :first-child p { color: var(--soft); }
        .aside { text-align: end; }
        .more { margin-top: 1rem; }
        .state { border-radius: 1rem; padding: 0.125rem 0.75rem; }
        .state.granted { background: var(--good-tint); color: var(--good); }
        .state.denied, .state.unknown { background: var(--page); color: var(--soft); }

        .message { border-inline-start: 4px solid var(--accent); border-radius: 0.5rem; margin: 0.75rem 0; \
        padding: 0.75rem 1rem; }
        .message { background: var(--tint); }
        .message > :last-child { margin-bottom: 0; }
        .message.success { background: var(--good-tint); border-color: var(--good); }
        .message.failure { background: var(--bad-tint); border-color: var(--bad); }

        dialog {
          background: var(--card); border: 1px solid var(--faint); border-radius: 1rem; color: var(--text);
          max-height: calc(100dvh - 2rem); max-width: 34rem; padding: 1.25rem; width: calc(100% - 2rem);
        }
        dialog::backdrop { background: rgb(0 0 0 / 0.55); }
        dialog header {
          align-items: start; background: var(--card); display: flex; gap: 1rem; justify-content: space-between;
          position: sticky; top: -1.25rem; z-index: 2;
        }
        dialog header .close { margin: 0 0 0.5rem; }
        dialog h2 { margin: 0.5rem 0 0.75rem; }
        .sheet { max-width: 26rem; }
        .sheet .name { font-size: 1.125rem; font-weight: 600; margin: 0; }
        .sheet .row { justify-content: end; margin: 1rem 0 0; }
        dialog footer {
          align-items: center; display: flex; flex-wrap: wrap; font-size: 0.9375rem; gap: 0 1.25rem;
          justify-content: center; margin-top: 0.5rem;
        }
        dialog footer a { padding: 0.625rem 0; }

        fieldset { border: 0; margin: 0; min-width: 0; padding: 0; }
        .plans { display: grid; gap: 0.625rem; }
        .plan {
          align-items: center; border: 2px solid var(--faint); border-radius: 0.75rem; cursor: pointer; display: grid;
          gap: 0 0.75rem; grid-template-columns: auto 1fr auto; padding: 0.75rem 1rem;
        }
        .plan:hover { border-color: var(--line); }
        .plan:has(:checked) { background: var(--tint); border-color: var(--accent); }
        .plan:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
        .plan :focus-visible { outline: none; }
        .plan .name { font-weight: 600; grid-column: 2; }
        .plan .kind, .plan .price, .plan .derived { grid-column: 2 / -1; }
        .plan .kind, .plan .derived { font-size: 0.9375rem; }
        .price { font-size: 1.125rem; font-weight: 600; }
        .badge {
          background: var(--accent); border-radius: 1rem; color: var(--on-accent); font-size: 0.8125rem; \
        font-weight: 600;
          grid-column: 3; grid-row: 1; padding: 0 0.625rem;
        }
        .terms { margin: 1rem 0; }
        .includes li::before { color: var(--good); content: "✓ " / ""; font-weight: 700; }
        .renewal { color: var(--soft); font-size: 0.9375rem; margin-top: 0.75rem; }
        @media (min-height: 40rem) {
          dialog { scroll-padding-bottom: 5rem; }
          .action { background: var(--card); bottom: -1.25rem; padding: 0.5rem 0; position: sticky; }
        }
        .overlay {
          align-items: center; background: color-mix(in srgb, var(--card) 88%, transparent);
          display: flex; flex-direction: column; gap: 0.75rem; inset: 0; justify-content: center; padding: 1.25rem;
          position: fixed; text-align: center;
          z-index: 1;
        }
        .spinner {
          animation: turn 0.9s linear infinite; border: 4px solid var(--faint); border-radius: 50%;
          border-top-color: var(--accent); height: 2.5rem; width: 2.5rem;
        }
        @keyframes turn { to { rotate: 1turn; } }
        @media (prefers-reduced-motion: reduce) { .spinner { animation: none; border-color: var(--accent); } }

        dl { margin: 0; }
        dl div { border-top: 1px solid var(--faint); display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0.5rem 0; }
        dt { color: var(--soft); flex: 1 1 9rem; }
        dd { flex: 2 1 10rem; margin: 0; }

        .log ol {
          background: var(--card); border: 1px solid var(--faint); border-radius: 0.75rem; max-height: 70vh; \
        overflow-y: auto;
          padding: 0 1rem;
        }
        .log li { border-top: 1px solid var(--faint); padding: 0.5rem 0; }
        .log li:first-child { border-top: 0; }
        .log li.failure { color: var(--bad); }
        .log time { display: block; font-size: 0.8125rem; }
        .source { background: var(--tint); border-radius: 0.375rem; color: var(--text); font-size: 0.8125rem; \
        padding: 0.125rem 0.5rem; }
        @media (min-width: 64rem) {
          .columns { display: grid; gap: 2rem; grid-template-columns: 1fr 1fr; }
          .columns > * { min-width: 0; }
        }
        #alert {
          background: var(--bad-tint); border: 1px solid var(--bad); border-radius: 0.75rem; color: var(--text);
          inset: auto 1rem 1rem; margin: 0 auto; max-width: 34rem; padding: 0.75rem 1rem;
        }

        """
}
