/** Which build of the gateway runs: in every line of the log, in the metrics, and in traces. */
import packageFile from '../../package.json' with { type: 'json' };

export const buildVersion: string = packageFile.version;
