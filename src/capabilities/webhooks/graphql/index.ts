import './list.ts';
import './webhook.ts';
import './health.ts';
import './mutations.ts';
