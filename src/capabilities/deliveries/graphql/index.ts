import './delivery.ts';
import './list.ts';
import './statistics.ts';
import './mutations.ts';
import './events.ts';
