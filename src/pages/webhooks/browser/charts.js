/** Charts in SVG. They stretch to their place; what must not be stretched, such as text, is HTML beside them. */
import { h, svg } from './elements.js';
import { at, count, duration, percent, tick } from './format.js';

const width = 600;
const height = 120;

const line = (name, d, extra = {}) => svg(`path.${name}`, { d, 'vector-effect': 'non-scaling-stroke', ...extra });

function plot(label, ...shapes) {
  const box = { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label };
  return svg(
    'svg.plot',
    box,
    line('grid', `M0 ${height / 2}H${width}M0 .5H${width}M0 ${height - 0.5}H${width}`),
    ...shapes,
  );
}

/** @param {{title: string, legend: [string, string][], top: string, spans: object[], period: string, table: Node}} parts */
function figure({ title, legend, top, drawing, spans, period, table }) {
  const ticks = [spans[0], spans[Math.floor(spans.length / 2)], spans.at(-1)];
  return h(
    'figure.chart',
    {},
    h(
      'figcaption',
      {},
      h('h3', {}, title),
      h('ul.legend', {}, ...legend.map(([name, text]) => h('li', { class: name }, text))),
    ),
    h('div.frame', {}, h('span.top-of-scale', {}, top), drawing),
    h('div.ticks', { 'aria-hidden': 'true' }, ...ticks.map(({ startsAt }) => h('span', {}, tick(startsAt, period)))),
    table,
  );
}

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

/** Attempts over time: bars of what succeeded and what failed. */
export function attemptsChart({ total, spans }, period, open) {
  const most = Math.max(1, ...spans.map((span) => span.count));
  const step = width / spans.length;
  const bars = spans.map(({ startsAt, count: all, succeededCount: good }, place) => {
    const x = place * step + step * 0.12;
    const w = step * 0.76;
    const goodHeight = (good / most) * height;
    const badHeight = ((all - good) / most) * height;
    return svg(
      'g',
      {},
      svg('title', {}, `${at(startsAt)}: ${count(good)} succeeded, ${count(all - good)} failed`),
      svg('rect.hover', { x: place * step, y: 0, width: step, height }),
      svg('rect.good', { x, y: height - goodHeight, width: w, height: goodHeight }),
      svg('rect.bad', { x, y: height - goodHeight - badHeight, width: w, height: badHeight }),
    );
  });
  const label = `${count(total.count)} attempts, ${percent(total.successRate)} of them succeeded`;
  const rows = spans.map((each) => [
    at(each.startsAt),
    count(each.succeededCount),
    count(each.count - each.succeededCount),
  ]);
  return figure({
    title: 'Attempts',
    legend: [
      ['good', 'Succeeded'],
      ['bad', 'Failed'],
    ],
    top: count(most),
    drawing: plot(label, ...bars),
    spans,
    period,
    table: tableOf('attempts-table', open, ['From', 'Succeeded', 'Failed'], rows),
  });
}

/** The times that requests took: the median, and what 95 of 100 stayed within. */
export function latencyChart({ total, spans }, period, open) {
  const most = Math.max(10, ...spans.map((span) => span.p95DurationMs ?? 0));
  const step = width / spans.length;
  const curve = (field, name) => {
    let [lines, dots] = ['', ''];
    for (const [place, each] of spans.entries()) {
      if (each[field] === null) continue;
      const point = `${((place + 0.5) * step).toFixed(1)} ${(height - (each[field] / most) * (height - 4)).toFixed(1)}`;
      const has = (neighbour) => (spans[neighbour]?.[field] ?? null) !== null;
      if (has(place - 1)) lines += `L${point}`;
      else if (has(place + 1)) lines += `M${point}`;
      // Without neighbours it is a dot: a line of no length with round ends.
      else dots += `M${point}h.01`;
    }
    return [line(name, lines), line(`${name}.dots`, dots)];
  };
  const titles = spans.map((each, place) =>
    svg(
      'g',
      {},
      svg(
        'title',
        {},
        `${at(each.startsAt)}: median ${duration(each.medianDurationMs)}, 95 % within ${duration(each.p95DurationMs)}`,
      ),
      svg('rect.hover', { x: place * step, y: 0, width: step, height }),
    ),
  );
  const label = `Median ${duration(total.medianDurationMs)}, 95 % within ${duration(total.p95DurationMs)}`;
  const rows = spans.map((each) => [at(each.startsAt), duration(each.medianDurationMs), duration(each.p95DurationMs)]);
  return figure({
    title: 'Latency',
    legend: [
      ['p95', '95 % within'],
      ['median', 'Median'],
    ],
    top: duration(most),
    drawing: plot(label, ...curve('p95DurationMs', 'p95'), ...curve('medianDurationMs', 'median'), ...titles),
    spans,
    period,
    table: tableOf('latency-table', open, ['From', 'Median', '95 % within'], rows),
  });
}

/** A small chart of attempts, for a list. Its numbers stand beside it. */
export function sparkline({ spans }) {
  const most = Math.max(1, ...spans.map((span) => span.count));
  const step = width / spans.length;
  return svg(
    'svg.spark',
    { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    ...spans.flatMap(({ count: all, succeededCount: good }, place) => {
      const bar = (name, value, below) =>
        svg(`rect.${name}`, {
          x: place * step + step * 0.1,
          y: height - ((below + value) / most) * height,
          width: step * 0.8,
          height: (value / most) * height,
        });
      return [bar('good', good, 0), bar('bad', all - good, good)];
    }),
    line('grid', `M0 ${height - 0.5}H${width}`),
  );
}
