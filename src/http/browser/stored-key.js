/** Runs in the browser: the API key of this tab. All pages share it, for as long as the tab is open. */
const name = 'postern:demo-key';
const event = 'postern:key';

/** The key; empty if there is none. */
export const readKey = () => sessionStorage.getItem(name) ?? '';

export function storeKey(key) {
  sessionStorage.setItem(name, key);
  dispatchEvent(new Event(event));
}

export function forgetKey() {
  sessionStorage.removeItem(name);
  dispatchEvent(new Event(event));
}

/** Calls after each change of the key. @param {() => void} listener */
export const onKeyChange = (listener) => addEventListener(event, listener);
