/// The script and the style sheet of the shop.
enum ShopFiles {
    /// Buys with the token of the page's address, and shows every change without a new page.
    static let script = """
        "use strict";
        const token = new URLSearchParams(location.search).get("token") ?? "";
        const message = document.getElementById("message");

        async function refresh() {
          const answer = await fetch("/");
          if (!answer.ok) return;
          const page = new DOMParser().parseFromString(await answer.text(), "text/html");
          document.querySelector("main").replaceWith(page.querySelector("main"));
        }

        document.addEventListener("click", async (event) => {
          const product = event.target.dataset.product;
          if (!product) return;
          event.target.disabled = true;
          try {
            const answer = await fetch("/purchases?product=" + encodeURIComponent(product), {
              method: "POST", headers: { "X-Preview-Token": token },
            });
            message.textContent = answer.ok ? (await answer.json()).outcome : await answer.text();
          } catch {
            message.textContent = "The shop does not answer.";
          }
          event.target.disabled = false;
        });

        const events = new EventSource("/events?after=" + document.body.dataset.position);
        for (const name of ["entitlements", "reset"]) events.addEventListener(name, refresh);

        """

    static let style = """
        :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
        body { margin: 0 auto; max-width: 40rem; padding: 1rem; }
        ul { list-style: none; padding: 0; }
        li { border: 1px solid GrayText; border-radius: 0.5rem; margin: 0 0 1rem; padding: 0 1rem 1rem; }
        .state { font-weight: bold; }
        button { font: inherit; min-height: 2.75rem; }

        """
}
