/** OpenTelemetry's instruments, by the table of series. */
import type { Attributes, Counter, Histogram, Meter, Observable } from '@opentelemetry/api';
import { allSeries, type CounterName, type GaugeName, type HistogramName } from '../series.ts';
import type { Metrics } from '../telemetry.ts';

export function createMetrics(meter: Meter): Metrics {
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  const gauges = new Map<string, Observable>();
  for (const [name, { kind, unit, help, labels, buckets }] of allSeries) {
    const options = { unit, description: help };
    if (kind === 'counter') {
      const counter = meter.createCounter(name, options);
      // Makes the first count an increase.
      if (labels.length === 0) counter.add(0);
      counters.set(name, counter);
    } else if (kind === 'gauge') gauges.set(name, meter.createObservableGauge(name, options));
    else if (kind === 'total') gauges.set(name, meter.createObservableCounter(name, options));
    else histograms.set(name, meter.createHistogram(name, { ...options, ...adviceOf(buckets) }));
  }
  return {
    count: (name: CounterName, labels: Attributes, by = 1) => counters.get(name)?.add(by, labels),
    record: (name: HistogramName, value, labels: Attributes) => histograms.get(name)?.record(value, labels),
    observe(name: GaugeName, read: () => Readings | Promise<Readings>) {
      gauges.get(name)?.addCallback(async (result) => {
        for (const [value, labels] of await read()) result.observe(value, labels);
      });
    },
  };
}

type Readings = readonly (readonly [value: number, labels: Attributes])[];

const adviceOf = (buckets: readonly number[] | undefined) =>
  buckets === undefined ? {} : { advice: { explicitBucketBoundaries: [...buckets] } };
