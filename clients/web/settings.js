// What a person likes, kept in this browser; and the storage it is kept in, which may be shut.

const KEY = "euchre.settings";
const DEFAULTS = {
  fourColours: false, suitLetters: false, longLabels: true, confirmPlay: false, waitForMe: false, sound: false, keys: true, motion: "normal", zoom: "1",
};

/** localStorage, or nothing that lasts where the browser forbids it. */
export const storage = {
  get(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
    } catch {
      // The page works without; it only forgets.
    }
  },
};

export class Settings {
  constructor(dialog, onChange) {
    this.values = { ...DEFAULTS, ...read() };
    this.dialog = dialog;
    this.form = dialog.querySelector("form");
    for (const [name, value] of Object.entries(this.values)) {
      const field = this.form.elements[name];
      if (!field) continue;
      if (field.type === "checkbox") field.checked = value;
      else field.value = value;
    }
    this.form.addEventListener("change", () => {
      for (const field of this.form.elements) {
        if (field.name) this.values[field.name] = field.type === "checkbox" ? field.checked : field.value;
      }
      storage.set(KEY, JSON.stringify(this.values));
      this.#show();
      onChange();
    });
    this.#show();
  }

  get = (name) => this.values[name];

  open() {
    this.dialog.showModal();
  }

  #show() {
    const root = document.documentElement;
    root.classList.toggle("four-colours", this.values.fourColours);
    root.classList.toggle("suit-letters", this.values.suitLetters);
    root.classList.toggle("short-labels", !this.values.longLabels);
    root.dataset.motion = this.values.motion;
    root.style.setProperty("--zoom", this.values.zoom);
  }
}

function read() {
  try {
    return JSON.parse(storage.get(KEY) ?? "{}");
  } catch {
    return {};
  }
}
