/** Loads only what is configured. */
import type { TelemetrySettings } from './settings.ts';
import { noTelemetry, type ReportTrouble, type Telemetry } from './telemetry.ts';

export async function openTelemetry(settings: TelemetrySettings, report: ReportTrouble): Promise<Telemetry> {
  const { tracesUrl, metricsUrl, prometheus } = settings;
  if (tracesUrl === null && metricsUrl === null && prometheus === null) return noTelemetry;
  const { startOpenTelemetry } = await import('./opentelemetry/start.ts');
  return startOpenTelemetry(settings, report);
}
