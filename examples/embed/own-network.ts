/** The gateway with a network of one's own, for accounts of the type MICROBLOG. */
import { createGateway, optionsOf } from 'postern';
import { microblog } from './microblog.ts';

const networks = { MICROBLOG: microblog(process.env.MICROBLOG_URL ?? '') };
const gateway = await createGateway({ ...optionsOf(process.env), networks });
console.log(await gateway.listen());

process.once('SIGTERM', () => gateway.close());
