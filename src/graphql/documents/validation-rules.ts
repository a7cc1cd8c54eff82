/** The rules that documents are validated by: those of graphql-js, but for one. */
import { GraphQLError, SingleFieldSubscriptionsRule, specifiedRules, type ValidationRule } from 'graphql';
import { collectFields, fragmentsOf } from '../cost/selections.ts';

/**
 * A subscription has one root field. The rule of graphql-js evaluates `@skip` and `@include` without the values of variables, and
 * so refuses each subscription that has a variable there. Here all fields count, whatever their directives say; which of
 * them are left is looked at when the subscription is executed.
 */
const SingleRootFieldRule: ValidationRule = (context) => ({
  OperationDefinition({ operation, name, selectionSet }) {
    if (operation !== 'subscription') return;
    const fragments = fragmentsOf(context.getDocument());
    const { fields } = collectFields([selectionSet], fragments, { includes: () => true, applies: () => true });
    const [, ...more] = [...fields.values()].map((nodes) => nodes[0]);
    const subject = name === undefined ? 'Anonymous Subscription' : `Subscription "${name.value}"`;
    if (more.length > 0) {
      const nodes = more.filter((node) => node !== undefined);
      context.reportError(new GraphQLError(`${subject} must select only one top level field.`, { nodes }));
    }
    for (const [first] of fields.values()) {
      if (!first?.name.value.startsWith('__')) continue;
      const message = `${subject} must not select an introspection top level field.`;
      context.reportError(new GraphQLError(message, { nodes: first }));
    }
  },
});

export const validationRules: readonly ValidationRule[] = specifiedRules.map((rule) =>
  rule === SingleFieldSubscriptionsRule ? SingleRootFieldRule : rule,
);
