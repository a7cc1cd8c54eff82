/** Runs in the browser: the API key of this tab. GraphiQL and the page of webhooks share it, for as long as the tab is open. */
const name = 'postern:demo-key';

/** The key; empty if there is none. */
export const readKey = () => sessionStorage.getItem(name) ?? '';
export const storeKey = (key) => sessionStorage.setItem(name, key);
export const forgetKey = () => sessionStorage.removeItem(name);
