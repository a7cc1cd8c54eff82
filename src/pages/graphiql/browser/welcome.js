/** Where the first response will be: what to press, and what else there is to run. */

const welcome = document.getElementById('welcome');

/** Called again whenever GraphiQL has drawn. */
export function placeWelcome() {
  const response = document.querySelector('.graphiql-response');
  if (response === null || !welcome.hidden) return;
  response.append(welcome);
  welcome.hidden = false;
}

/** For good: the response stands there from then on. */
export const endWelcome = () => welcome.remove();
