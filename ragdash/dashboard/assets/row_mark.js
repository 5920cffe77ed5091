// Tells the list of another component which of its rows is open. data: {list: its key, row: from 0}

export default function ({ data }) {
  (window.ragdashMarks ||= {})[data.list] = data.row;
  window.dispatchEvent(new Event("ragdash-mark"));
}
