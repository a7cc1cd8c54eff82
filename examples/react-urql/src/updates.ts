import type { UpdatesConfig } from '@urql/exchange-graphcache';
import { isOf } from './choice.ts';
import { withDelivery } from './delivery-list.ts';
import type { DeliveryListQueryVariables, UpdatesSubscription } from './gql/graphql.ts';
import { DeliveryList } from './operations.ts';

/** What a result adds to lists that the cache has. An object that it has changes by its id. */
export const updates: UpdatesConfig = {
  Subscription: {
    deliveryUpdated({ deliveryUpdated }: UpdatesSubscription, _arguments, store) {
      for (const { fieldName, arguments: given } of store.inspectFields('Query')) {
        const variables: DeliveryListQueryVariables = given ?? {};
        const [state = null] = [variables.states ?? []].flat();
        const choice = { state, webhookId: variables.webhookId ? String(variables.webhookId) : null };
        // Into the first page: the resolver puts the others behind it.
        if (fieldName === 'deliveries' && !variables.after && isOf(choice, deliveryUpdated))
          store.updateQuery({ query: DeliveryList, variables }, (list) => list && withDelivery(list, deliveryUpdated));
      }
    },
  },
};
