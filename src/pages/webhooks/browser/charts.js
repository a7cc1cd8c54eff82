/** Charts in SVG. They stretch to their place; what must not be stretched, such as text, is HTML beside them. */
import { h, svg } from './elements.js';
import { at, count, duration, percent, tick } from './format.js';

const width = 600;
const height = 120;

const line = (name, d, extra = {}) => svg(`path.${name}`, { d, 'vector-effect': 'non-scaling-stroke', ...extra });

/** So many times are named, if they divide the spans: each stands where its span begins. */
const tickCounts = [6, 5, 4];

function ticksOf(spans, period) {
  const of = tickCounts.find((each) => spans.length % each === 0) ?? 1;
  const named = Array.from({ length: of }, (_, place) => spans[(place * spans.length) / of]);
  return h(
    'div.ticks',
    { 'aria-hidden': 'true' },
    ...named.map(({ startsAt }) => h('span', {}, tick(startsAt, period))),
  );
}

/**
 * The plot, with the values of one span: that under the pointer or finger, or that reached by the arrow keys.
 * @param {{ name: string, top: number, label: string, print: (value: number) => string, tell: (span: object) => string,
 *   spans: object[], shapes: Node[], total: string, pointed: Map<string, number> }} parts `pointed` outlives the drawing
 */
function plot({ name, top, label, print, tell, spans, shapes, total, pointed }) {
  const step = width / spans.length;
  const cursor = svg('rect.cursor', { y: 0, width: step, height });
  const readout = h('p.readout', {});
  const box = h(
    'div.plot',
    {
      tabindex: '0',
      role: 'slider',
      'aria-label': label,
      'aria-valuemin': 0,
      'aria-valuemax': spans.length - 1,
      'data-key': `plot-${name}`,
      onkeydown: onKey,
      onpointermove: onPointer,
      onpointerdown: onPointer,
      onpointerleave: ({ pointerType }) => pointerType === 'mouse' && document.activeElement !== box && point(null),
      onblur: () => box.isConnected && point(null),
    },
    svg(
      'svg',
      { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      cursor,
      line('grid', `M0 ${height / 2}H${width}M0 .5H${width}M0 ${height - 0.5}H${width}`),
      ...shapes,
    ),
  );
  function point(place) {
    if (place === null) pointed.delete(name);
    else pointed.set(name, place);
    cursor.setAttribute('x', (place ?? -1) * step);
    readout.textContent = place === null ? total : `${at(spans[place].startsAt)}: ${tell(spans[place])}`;
    box.setAttribute('aria-valuenow', place ?? spans.length - 1);
    box.setAttribute('aria-valuetext', readout.textContent);
  }
  function onPointer({ clientX }) {
    const { left, width: shown } = box.getBoundingClientRect();
    point(Math.min(spans.length - 1, Math.max(0, Math.floor(((clientX - left) / shown) * spans.length))));
  }
  function onKey(event) {
    const last = spans.length - 1;
    const now = pointed.get(name);
    const places = {
      ArrowLeft: Math.max(0, (now ?? spans.length) - 1),
      ArrowRight: Math.min(last, (now ?? -1) + 1),
      Home: 0,
      End: last,
    };
    if (!Object.hasOwn(places, event.key)) return;
    event.preventDefault();
    point(places[event.key]);
  }
  point((pointed.get(name) ?? spans.length) < spans.length ? pointed.get(name) : null);
  const scale = [top, top / 2, 0].map((value) => h('span', {}, print(value)));
  return [readout, h('div.frame', {}, h('div.scale', { 'aria-hidden': 'true' }, ...scale), box)];
}

/** @param {{title: string, legend: [string, string][], parts: Node[], spans: object[], period: string, table: Node}} chart */
const figure = ({ title, legend, parts, spans, period, table }) =>
  h(
    'figure.chart',
    {},
    h(
      'figcaption',
      {},
      h('h3', {}, title),
      h('ul.legend', {}, ...legend.map(([name, text]) => h('li', { class: name }, text))),
    ),
    ...parts,
    ticksOf(spans, period),
    table,
  );

function tableOf(key, open, columns, rows) {
  return h(
    'details.numbers',
    { open: open.has(key), ontoggle: ({ target }) => (target.open ? open.add(key) : open.delete(key)) },
    h('summary', { 'data-key': key }, 'Show as a table'),
    h(
      'div.scrolls',
      {
        tabindex: '0',
        role: 'region',
        'aria-label': 'Table of the chart',
        'data-scrolls': key,
        'data-key': `${key}-scrolls`,
      },
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, ...columns.map((each) => h('th', { scope: 'col' }, each)))),
        h('tbody', {}, ...rows.map((row) => h('tr', {}, ...row.map((each) => h('td', {}, each))))),
      ),
    ),
  );
}

/** An axis ends at a number that people read at once. */
const steps = [1, 2, 4, 6, 8, 10];

/** The least of 1, 2, 4, 6, 8 and 10 times a power of ten that is no smaller: its half is as short. @param {number} least what it is at least */
function niceTop(most, least) {
  const value = Math.max(most, least);
  const power = 10 ** Math.floor(Math.log10(value));
  return steps.map((step) => step * power).find((each) => each >= value);
}

/** Attempts over time: bars of what succeeded and what failed. @param {object} view what the page shows: see main.js */
export function attemptsChart({ total, spans }, { period, open, pointed }) {
  const top = niceTop(Math.max(...spans.map((span) => span.count)), 2);
  const step = width / spans.length;
  const shapes = spans.flatMap(({ count: all, succeededCount: good }, place) => {
    const x = place * step + step * 0.12;
    const w = step * 0.76;
    const goodHeight = (good / top) * height;
    const badHeight = ((all - good) / top) * height;
    return [
      svg('rect.good', { x, y: height - goodHeight, width: w, height: goodHeight }),
      svg('rect.bad', { x, y: height - goodHeight - badHeight, width: w, height: badHeight }),
    ];
  });
  const rows = spans.map((each) => [
    at(each.startsAt),
    count(each.succeededCount),
    count(each.count - each.succeededCount),
  ]);
  const tell = (each) => `${count(each.succeededCount)} succeeded, ${count(each.count - each.succeededCount)} failed`;
  return figure({
    title: 'Attempts',
    legend: [
      ['good', 'Succeeded'],
      ['bad', 'Failed'],
    ],
    parts: plot({
      name: 'attempts',
      label: `Attempts over time: ${count(total.count)}, ${percent(total.successRate)} of them succeeded`,
      total: `${tell(total)} in all`,
      print: count,
      ...{ top, tell, spans, shapes, pointed },
    }),
    spans,
    period,
    table: tableOf('attempts-table', open, ['From', 'Succeeded', 'Failed'], rows),
  });
}

/** The times that requests took: the median, and what 95 of 100 stayed within. */
export function latencyChart({ total, spans }, { period, open, pointed }) {
  const top = niceTop(Math.max(...spans.map((span) => span.p95DurationMs ?? 0)), 10);
  const step = width / spans.length;
  const curve = (field, name) => {
    let [lines, dots] = ['', ''];
    for (const [place, each] of spans.entries()) {
      if (each[field] === null) continue;
      const point = `${((place + 0.5) * step).toFixed(1)} ${(height - (each[field] / top) * height).toFixed(1)}`;
      const has = (neighbour) => (spans[neighbour]?.[field] ?? null) !== null;
      if (has(place - 1)) lines += `L${point}`;
      else if (has(place + 1)) lines += `M${point}`;
      // Without neighbours it is a dot: a line of no length with round ends.
      else dots += `M${point}h.01`;
    }
    return [line(name, lines), line(`${name}.dots`, dots)];
  };
  const rows = spans.map((each) => [at(each.startsAt), duration(each.medianDurationMs), duration(each.p95DurationMs)]);
  const tell = ({ medianDurationMs, p95DurationMs }) =>
    medianDurationMs === null
      ? 'no attempts'
      : `median ${duration(medianDurationMs)}, 95 % within ${duration(p95DurationMs)}`;
  return figure({
    title: 'Latency',
    legend: [
      ['p95', '95 % within'],
      ['median', 'Median'],
    ],
    parts: plot({
      name: 'latency',
      label: `Latency over time: ${tell(total)}`,
      total: `${tell(total)} in all`,
      print: duration,
      shapes: [...curve('p95DurationMs', 'p95'), ...curve('medianDurationMs', 'median')],
      ...{ top, tell, spans, pointed },
    }),
    spans,
    period,
    table: tableOf('latency-table', open, ['From', 'Median', '95 % within'], rows),
  });
}
