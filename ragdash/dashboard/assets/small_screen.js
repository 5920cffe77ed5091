// On a small screen the menu closes when a page is chosen, and a table that goes on to the right says so.

(() => {
  const PHONE = 768; // pixels: up to this width, Streamlit draws the menu over the page
  const TABLES = [
    '[data-testid="stDataFrame"] .dvn-scroller',
    '[data-testid="stTable"] > div',
    '[data-testid="stHtml"] [style*="overflow-x:auto"]',
    ".rd-rows",
  ].join(",");
  const FORMULAS = ".katex-display";
  const FOCUSABLE = `[data-testid="stTable"] > div, ${FORMULAS}`;

  function closeMenu(event) {
    const link = event.target.closest && event.target.closest('[data-testid="stSidebar"] a[href]');
    if (!link || link.getAttribute("aria-disabled") === "true" || window.innerWidth > PHONE) return;
    const button = document.querySelector('[data-testid="stSidebarCollapseButton"] button');
    if (button) setTimeout(() => button.click(), 0); // after the link itself has been followed
  }

  function frameOf(table) {
    return table.closest('[data-testid="stDataFrame"]') || table.parentElement;
  }

  // React leaves attributes alone that it did not write.
  function mark(table) {
    const scrolls = table.scrollWidth - table.clientWidth > 1 || table.scrollHeight - table.clientHeight > 1;
    if (scrolls && table.matches(FOCUSABLE)) table.tabIndex = 0; // the keyboard scrolls it too
    if (table.matches(FORMULAS)) return;
    const hidden = table.scrollWidth - table.clientWidth - table.scrollLeft;
    const frame = frameOf(table); // none when the table has just left the page
    if (!frame) return;
    frame.toggleAttribute("data-more-right", hidden > 4);
    frame.toggleAttribute("data-wide", table.scrollWidth - table.clientWidth > 4); // room for the hint, also at its end
  }

  function watch() {
    const seen = new WeakSet();
    const sizes = new ResizeObserver((entries) => entries.forEach((entry) => mark(entry.target)));
    let waiting = false;
    const look = () => {
      waiting = false;
      for (const table of document.querySelectorAll(`${TABLES},${FORMULAS}`)) {
        if (!seen.has(table)) {
          seen.add(table);
          sizes.observe(table);
        }
        mark(table);
      }
    };
    new MutationObserver(() => {
      if (!waiting) {
        waiting = true;
        requestAnimationFrame(look);
      }
    }).observe(document.body, { childList: true, subtree: true });
    document.addEventListener("scroll", (event) => {
      if (event.target.matches && event.target.matches(TABLES)) mark(event.target);
    }, true);
    look();
  }

  if (!window.ragdashSmallScreen) {
    window.ragdashSmallScreen = true;
    document.addEventListener("click", closeMenu);
    watch();
  }
})();
