/** The GraphQL side of accounts: the accounts that a key may use, and the key itself. */
import './account.ts';
import './viewer.ts';
