/** What is said over the page: that the gateway is away, and what came of a button. */
import { h, show } from './elements.js';

const place = document.getElementById('notices');
const live = document.getElementById('live');
const words = { connecting: 'Connecting …', live: 'Live', offline: 'Gateway away' };

/** How the stream of changes and the last read are; together they are one state. */
let stream = '';
let isReadable = true;
let said = null;
let onRetry = () => {};
/** How long a success is said, and how soon it goes after the pointer or focus that kept it. */
const saidMs = 10_000;
const keptMs = 1_000;
let timer;

const close = () => {
  said = null;
  render();
};

/** What is said covers what is under it. Failures stay until they are closed. */
function closeIn(ms) {
  timer = setTimeout(() => (place.matches(':hover, :focus-within') ? closeIn(keptMs) : close()), ms);
}

function render() {
  const isAway = stream === 'offline' || !isReadable;
  const state = isAway ? 'offline' : stream;
  live.textContent = words[state] ?? '';
  live.dataset.state = state;
  show(
    place,
    isAway
      ? h(
          'p.notice.bad',
          { role: 'alert' },
          'The gateway cannot be reached. What you see is from before.',
          h('button.link', { type: 'button', 'data-key': 'try-again', onclick: () => onRetry() }, 'Try again'),
        )
      : null,
    said === null
      ? null
      : h(
          `p.notice.${said.tone}`,
          {},
          said.text,
          said.address === null
            ? null
            : h('a.link', { href: said.address, 'data-key': 'said', onclick: close }, 'Show the delivery'),
          h('button.link', { type: 'button', 'data-key': 'close', onclick: close }, 'Close'),
        ),
  );
}

/** Says what came of a button. @param {string | null} address of the delivery that it came to */
export function tell(text, tone = 'good', address = null) {
  said = { text, tone, address };
  clearTimeout(timer);
  if (tone === 'good') closeIn(saidMs);
  render();
}

/** @param {'connecting' | 'live' | 'offline'} now connecting again, it is still away */
export function setStream(now) {
  if (now === 'connecting' && stream === 'offline') return;
  stream = now;
  render();
}

/** @param {() => void} retry what the button does */
export function setReadable(now, retry) {
  onRetry = retry;
  if (isReadable === now) return;
  isReadable = now;
  render();
}

/** As before a key is given. */
export function clear() {
  [stream, isReadable, said] = ['', true, null];
  render();
  delete live.dataset.state;
}
