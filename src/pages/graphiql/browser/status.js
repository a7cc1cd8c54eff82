/** The line at the bottom: what there is to say of the last response, or of what the user did. */

const line = document.getElementById('status');
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const counted = (count, unit) => `${number.format(count)} ${count === 1 ? unit : `${unit}s`}`;

export const say = (text) => line.replaceChildren(text);

/** @param {object | null} response what the fetcher knows of it; null while it is awaited */
export function showResponse(response) {
  if (response === null) return say('Running …');
  const { status, errors, ms, bytes, results, cost, requestId } = response;
  const facts = [
    status >= 400 ? alarming(`status ${status}`) : `status ${status}`,
    // A response may have both data and errors.
    errors > 0 && alarming(helpWith(counted(errors, 'error'))),
    `${number.format(ms)} ms`,
    bytes !== undefined && `${number.format(bytes)} bytes`,
    results !== undefined && counted(results, 'result'),
    // What is refused before it is read has no cost.
    cost?.requestedCost && `cost ${number.format(cost.requestedCost)} of ${number.format(cost.limit)}`,
    requestId !== null && `request ${requestId}`,
  ].filter(Boolean);
  line.replaceChildren(...facts.flatMap((fact, index) => (index === 0 ? [fact] : [' · ', fact])));
}

const alarming = (content) => {
  const element = document.createElement('strong');
  element.append(content);
  return element;
};

/** In a tab of its own: the response stays. */
const helpWith = (textContent) =>
  Object.assign(document.createElement('a'), { textContent, href: '/docs/use/errors', target: '_blank' });
