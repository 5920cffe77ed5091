// Half a character (a lone surrogate) cannot be sent: the server would refuse the message, and the page would send it
// again and again. It becomes the replacement character before the page reads the field.

(() => {
  const HALF = /\p{Surrogate}/gu; // with the flag u, whole characters are not matched

  function replaceHalves(event) {
    const field = event.target;
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
    if (field.type === "file" || field.value.search(HALF) < 0) return;
    const caret = field.selectionEnd;
    const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
    const value = field.value.replace(HALF, "\ufffd"); // as long as before
    Object.getOwnPropertyDescriptor(prototype, "value").set.call(field, value); // so that React sees a change
    if (caret !== null) field.setSelectionRange(caret, caret);
  }

  if (!window.ragdashTypedText) {
    window.ragdashTypedText = true;
    document.addEventListener("input", replaceHalves, true); // before React
  }
})();
