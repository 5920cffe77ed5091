// While answers are labeled, a field lets go of the keyboard once something was chosen in it: the next key is a label.

(() => {
  const DESK = ".st-key-label_desk";
  const FIELDS = ".st-key-label_sheet, .st-key-trust_choices";

  function letGo() {
    const field = document.activeElement;
    if (document.querySelector(DESK) && field && field.matches("input") && field.closest(FIELDS)) field.blur();
  }

  if (!window.ragdashLabelKeys) {
    window.ragdashLabelKeys = true;
    document.addEventListener("click", (event) => {
      if (event.target.closest && event.target.closest('[role="option"]')) setTimeout(letGo, 200); // after the list closed
    }, true);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter") setTimeout(letGo, 200);
    }, true);
  }
})();
