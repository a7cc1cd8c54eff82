/** Loads only what is configured. */
import { noTelemetry, type ReportTrouble, type Telemetry, type TelemetrySettings } from './telemetry.ts';

export async function openTelemetry(settings: TelemetrySettings, report: ReportTrouble): Promise<Telemetry> {
  const { tracesUrl, metricsUrl, prometheus } = settings;
  if (tracesUrl === null && metricsUrl === null && prometheus === null) return noTelemetry;
  const { startOpenTelemetry } = await import('./opentelemetry/start.ts');
  return startOpenTelemetry(settings, report);
}
