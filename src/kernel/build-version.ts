/** The build in log lines, metrics and traces. */
import packageFile from '../../package.json' with { type: 'json' };

export const buildVersion: string = packageFile.version;
