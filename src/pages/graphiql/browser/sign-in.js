/**
 * Runs in the browser, unbundled, on the page behind the link that the start prints: exchanges the token for the demo
 * key, and goes on to GraphiQL. The page replaces itself, so that no way back leads to the token.
 */
import { readKey, storeKey } from './stored-key.js';

const { exchange } = JSON.parse(document.getElementById('sign-in').textContent);
const address = new URL(location.href);
const token = address.searchParams.get('token');
address.searchParams.delete('token');
// At once: the token is gone from the address, whatever happens next.
history.replaceState(null, '', address);
let problem = '';
try {
  const response = await fetch(exchange, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  const { key, errors } = await response.json();
  if (key === undefined) throw new Error(errors[0].message);
  storeKey(key);
} catch (error) {
  problem = error.message;
}
// A tab that has the key already needs no other one.
if (problem === '' || readKey() !== '') location.replace(address);
else {
  document.getElementById('problem').textContent = problem;
  document.getElementById('otherwise').hidden = false;
}
