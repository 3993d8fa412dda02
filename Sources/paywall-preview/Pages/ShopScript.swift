/// The script of the pages: it sends the actions, and shows each new state without a new page.
enum ShopScript {
    static let text = #"""
        "use strict";
        const token = new URLSearchParams(location.search).get("token") ?? "";
        const alertBox = document.getElementById("alert");
        const parts = ["header", "content", "dialogs"];
        let position = document.body.dataset.position;
        let events;
        let isRefreshing = false;
        let isStale = false;
        let retry;
        let sending = Promise.resolve();

        const silence = "The shop does not answer.";

        function say(text) {
          alertBox.togglePopover(false);
          alertBox.textContent = text;
          placeAlert();
          alertBox.togglePopover(text !== "");
        }

        // What stands outside of an open dialog is hidden from assistive technology.
        function placeAlert() {
          const place = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
          if (alertBox.parentElement === place) return;
          place.append(alertBox);
          if (alertBox.textContent !== "") alertBox.showPopover();
        }

        // The current state of the page, from the server. The element that has the focus stays the same.
        async function refresh(isReturn = false) {
          isStale = true;
          clearTimeout(retry);
          if (isRefreshing) return;
          isRefreshing = true;
          try {
            while (isStale) {
              isStale = false;
              const answer = await fetch(location.href, isReturn ? {} : { headers: { "X-Preview-Refresh": "1" } });
              isReturn = false;
              if (!answer.ok) throw new Error(answer.status);
              show(new DOMParser().parseFromString(await answer.text(), "text/html"));
            }
            if (alertBox.textContent === silence) say("");
          } catch {
            say(silence);
            retry = setTimeout(() => refresh(), 2000);
          }
          isRefreshing = false;
        }

        function show(page) {
          let isClosed = false;
          for (const dialog of document.querySelectorAll("dialog[open]")) {
            if (page.getElementById(dialog.id)?.hasAttribute("data-open")) continue;
            dialog.removeAttribute("data-open");
            dialog.close();
            isClosed = true;
          }
          for (const id of parts) adapt(document.getElementById(id), page.getElementById(id));
          for (const dialog of document.querySelectorAll("dialog[data-open]")) if (!dialog.open) dialog.showModal();
          placeAlert();
          // What had the focus before the dialog can be gone, such as the button of a feature that is unlocked now.
          if (isClosed && document.activeElement === document.body) document.getElementById("content").focus();
        }

        function adapt(old, fresh) {
          for (const name of old.getAttributeNames()) {
            if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
          }
          for (const name of fresh.getAttributeNames()) {
            if (old.getAttribute(name) !== fresh.getAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
          }
          if (old instanceof HTMLInputElement) old.checked = fresh.hasAttribute("checked");
          adaptChildren(old, fresh);
        }

        // What tells the rows of a list from each other. An id must not have spaces, which the ID of a product can.
        const key = (node) => node.dataset?.key ?? node.id ?? "";

        function adaptChildren(old, fresh) {
          let place = old.firstChild;
          for (const child of [...fresh.childNodes]) {
            const kept = key(child) ? [...old.children].find((element) => key(element) === key(child)) : place;
            if (!kept || kept.nodeName !== child.nodeName || key(kept) !== key(child)) {
              old.insertBefore(child, place);
              continue;
            }
            if (kept === place) place = place.nextSibling;
            else old.insertBefore(kept, place);
            if (kept.nodeType === Node.ELEMENT_NODE) adapt(kept, child);
            else if (kept.data !== child.data) kept.data = child.data;
          }
          while (place) {
            const gone = place;
            place = place.nextSibling;
            if (gone !== alertBox) gone.remove();
          }
        }

        // Actions

        // One after another, in the order in which they were pressed.
        function send(path, value) {
          sending = sending.finally(() => post(path, value));
        }

        async function post(path, value) {
          say("");
          try {
            const answer = await fetch(`${path}?value=${encodeURIComponent(value)}`, {
              method: "POST", headers: { "X-Preview-Token": token },
            });
            if (answer.ok) refresh();
            else say(await answer.text());
          } catch {
            say(silence);
          }
        }

        document.addEventListener("click", (event) => {
          const button = event.target.closest("button[data-post]");
          if (!button || button.getAttribute("aria-disabled") === "true") return;
          send(button.dataset.post, button.dataset.value);
        });
        document.addEventListener("change", (event) => {
          const input = event.target;
          if (!input.matches("input[data-post]")) return;
          send(input.dataset.post, input.type === "checkbox" ? (input.checked ? "on" : "off") : input.value);
        });
        document.addEventListener("submit", (event) => {
          event.preventDefault();
          send(event.target.dataset.post, new FormData(event.target).get("value"));
        });
        // The server decides whether a dialog closes.
        document.addEventListener("cancel", (event) => {
          if (!event.target.dataset.cancel) return;
          event.preventDefault();
          send(event.target.dataset.cancel, event.target.dataset.value ?? "");
        }, true);
        document.addEventListener("close", (event) => {
          const dialog = event.target;
          if (dialog.matches("dialog[data-open]")) send(dialog.dataset.cancel, dialog.dataset.value ?? "");
        }, true);

        // Events

        // A browser has only six connections to a server, so a page that is not visible keeps none.
        function connect() {
          events?.close();
          if (document.hidden) return;
          events = new EventSource(`/events?after=${encodeURIComponent(position)}`);
          for (const name of [...document.body.dataset.events.split(" "), "reset"]) {
            events.addEventListener(name, (event) => {
              position = event.lastEventId || position;
              refresh();
            });
          }
          events.addEventListener("error", () => {
            if (events.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
          });
        }

        document.addEventListener("visibilitychange", connect);
        addEventListener("pagehide", () => events?.close());
        addEventListener("pageshow", (event) => {
          if (!event.persisted) return;
          connect();
          refresh(true);
        });

        for (const dialog of document.querySelectorAll("dialog[data-open]")) dialog.showModal();
        connect();

        """#
}
