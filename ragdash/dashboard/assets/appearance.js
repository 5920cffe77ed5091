// When the page turns dark or light while it is open, it is drawn again: pictures have the colors of the last run.

(() => {
  const app = document.querySelector('[data-testid="stApp"]');
  if (window.ragdashAppearance || !app) return;
  window.ragdashAppearance = true;
  const ground = () => getComputedStyle(app).backgroundColor;
  const RERUN = { key: "r", code: "KeyR", keyCode: 82, bubbles: true }; // Streamlit's key for it
  let shown = ground();
  new MutationObserver(() => {
    if (ground() === shown) return;
    shown = ground();
    setTimeout(() => document.dispatchEvent(new KeyboardEvent("keydown", RERUN)), 0); // Streamlit knows its theme by then
  }).observe(app, { attributeFilter: ["class"] });
})();
