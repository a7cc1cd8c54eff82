import './account.ts';
import './list.ts';
import './subscription.ts';
import './token.ts';
import './viewer.ts';
