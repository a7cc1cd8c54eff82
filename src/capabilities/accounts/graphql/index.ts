import './account.ts';
import './list.ts';
import './token.ts';
import './viewer.ts';
